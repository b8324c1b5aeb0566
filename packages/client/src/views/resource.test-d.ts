/** Compiled, never run: what must and what must not compile about views. */
import type { DiscoveredResource } from '../discovery/document.ts'
import type { FullObject, ObjectKey, PartialBrand, PartialObjectMetadata, Scope } from './object.ts'
import type { SelfNamed } from './projection.ts'
import type { Resource, View } from './resource.ts'
import { defineResource } from './resource.ts'

type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}

interface Game {
  apiVersion?: string
  kind?: string
  metadata?: { name?: string; namespace?: string }
  spec?: { lives?: number }
}
interface World {
  metadata?: { name?: string }
  size?: number
}

const games = defineResource<Game>({ group: 'g', version: 'v1', kind: 'Game', plural: 'games', namespaced: true })
const worlds = defineResource<World>({ group: 'g', version: 'v1', kind: 'World', plural: 'worlds', namespaced: false })
same<typeof games, Resource<Game, 'namespaced'>>(true)
same<typeof worlds, Resource<World, 'cluster'>>(true)

declare function read<C, S extends 'namespaced' | 'cluster'>(view: View<C, S>, key: ObjectKey<S>): C
declare function write<T extends object>(view: View<T>, object: FullObject<NoInfer<T>>): void

const key = { name: 'a', namespace: 'b' }
same<ReturnType<typeof read<Game, 'namespaced'>>, Game>(true)
const whole = read(games, key)
same<typeof whole, Game>(true)
const narrowed = read(games.within({ namespaces: ['a'], labels: { app: 'x' } }).within({ labels: '!y' }), key)
same<typeof narrowed, Game>(true)
write(games, whole)
write(worlds, { size: 1 })

// The order of within and projection does not matter.
const before = games.within({ namespaces: ['a'] }).metadata()
const after = games.metadata().within({ namespaces: ['a'] })
same<typeof before, typeof after>(true)

// A view of more is a view of less: covariant in C.
const loose: View<{ metadata?: object }, 'namespaced'> = games
const anything: View = worlds.metadata()
void [loose, anything]

// @ts-expect-error a namespaced key needs its namespace
read(games, { name: 'a' })
// @ts-expect-error a cluster-scoped object has no namespace
read(worlds, { name: 'a', namespace: 'b' })
read(worlds, { name: 'a' })
// @ts-expect-error a cluster-scoped resource has no namespaces to choose from
worlds.within({ namespaces: ['a'] })
// @ts-expect-error and neither has a view of it
worlds.metadata().within({ namespaces: ['a'] })

const meta = read(games.metadata(), key)
same<typeof meta, PartialObjectMetadata>(true)
// @ts-expect-error a metadata view can't be read as the whole
meta.spec
// @ts-expect-error nor assigned to it by way of a view
const wholeView: View<Required<Game>> = games.metadata()
// @ts-expect-error a partial object is not written back
write(games, meta)
// @ts-expect-error nor through the view that gave it
write(games.metadata(), meta)
void wholeView

const sizes = games.project('size', game => ({ metadata: game.metadata, lives: game.spec?.lives }))
const size = read(sizes, key)
const lives: number | undefined = size.lives
void lives
// @ts-expect-error what a projection gives is not written back
write(games, size)
const texts = games.project('text', game => `${game.kind}`)
same<typeof texts, View<string, 'namespaced'>>(true)

const exact = read(games.exact(), key)
const exactLives: number | bigint | undefined = exact.spec?.lives
void exactLives
write(games.exact(), exact)
write(games.exact(), whole)
// @ts-expect-error an exact object may hold what the default view's type does not
write(games, exact)

// @ts-expect-error the type of objects is given, never guessed: the scope follows from namespaced
defineResource<Game>({ group: 'g', version: 'v1', kind: 'Game', plural: 'games' })

// What discovery found makes a resource. Whether it has namespaces is known at run time only.
declare const discovered: DiscoveredResource
const later = defineResource<Game>(discovered)
same<typeof later, Resource<Game, Scope>>(true)
read(later, { name: 'a', namespace: 'b' })
// @ts-expect-error the type of a resource's objects has metadata
defineResource<{ spec: { lives: number } }>(discovered)

// A ready-made projection brings its name along; its type follows from the resource.
interface MetadataOf extends SelfNamed {
  <T extends { metadata?: unknown }>(object: T): T['metadata']
}
declare function metadataOf(): MetadataOf
const meta2 = read(games.project(metadataOf()), key)
same<typeof meta2, ({ name?: string; namespace?: string } & PartialBrand) | undefined>(true)
// @ts-expect-error what a projection gives is never written back
write(games, meta2)
