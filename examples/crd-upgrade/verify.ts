import { isServerError } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { conditionOf, isConditionTrue } from '@wherry/controller'
import { verify as verifyStorage } from '@wherry/storage-migrator'
import type { Stage } from '../../tools/runner/stage.ts'
import { games, gamesV1 } from './game.ts'
import { conditionType, definition, newVersion, oldVersion } from './migration.ts'

const namespace = 'arcade'
const count = 200
/** Games that are created at once. */
const atOnce = 20

/** Plays an upgrade from the release before, with users that write all the while. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const name = { name: definition }
  const isMigrated = async (): Promise<boolean> =>
    isConditionTrue((await client.get(customResourceDefinitions, name))?.status?.conditions ?? [], conditionType)
  const isReady = async (game: string): Promise<boolean> =>
    (await client.get(games, { namespace, name: game }))?.status?.phase === 'Ready'
  const storeAt = async (stored: string): Promise<void> => {
    const { spec } = (await client.get(customResourceDefinitions, name)) ?? {}
    const versions = spec?.versions.map(version => ({ ...version, storage: version.name === stored }))
    await client.patch(customResourceDefinitions, name, { spec: { versions } })
  }

  /** A server that has just taken a changed definition may refuse a write with 503, and takes it a moment later. */
  const taken = (write: () => Promise<object>): Promise<object> =>
    until('the server takes a write', () =>
      write().catch(error => {
        if (!isServerError(error)) throw error
        return false as const
      }),
    )

  await storeAt(oldVersion)
  const createReady = async (i: number): Promise<void> => {
    const metadata = { namespace, name: `game-${i}` }
    await taken(() => client.create(gamesV1, { metadata, spec: { title: `Game ${i}` } }))
    await taken(() => client.status.patch(gamesV1, metadata, { status: { phase: 'Ready' } }))
  }
  for (let i = 0; i < count; i += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, more) => createReady(i + more)))
  }
  // The last one in the order of lists.
  const last = { namespace, name: 'zeppelin' }
  await taken(() => client.create(gamesV1, { metadata: last, spec: { title: 'Zeppelin' } }))
  say(`a cluster of the release before: ${count + 1} games stored at ${oldVersion}`)

  // No migration begins before the release's definition is there, however fast this machine is.
  const program = start()
  await until('a game is ready', () => isReady('zeppelin'))
  if (await isMigrated()) throw new Error('the migration did not wait for the definition of this release')
  say('the controller of games works before they are migrated')
  await storeAt(newVersion)

  // The last object in the order of lists changes after it was listed, and before it is rewritten: a user writes it without a pause.
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  const write = async (): Promise<void> => {
    for (let players = 2; !isOver; players++) await taken(() => client.patch(games, last, { spec: { players } }))
  }
  const migrated = until('all games are migrated', async () => isOver || (await isMigrated()))
  await Promise.all([migrated.finally(end), write().finally(end)])
  const after = await client.get(customResourceDefinitions, name)
  const { message = '' } = conditionOf(after?.status?.conditions ?? [], conditionType) ?? {}
  const changed = Number(/(\d+) changed by users/.exec(message)?.[1])
  if (!(changed > 0)) throw new Error(`no game was seen to change while it was migrated: ${message}`)
  say('what users write meanwhile does not stop the migration')

  const left = JSON.stringify([after?.spec.versions.map(version => version.name), after?.status?.storedVersions])
  if (left !== JSON.stringify([[newVersion], [newVersion]])) throw new Error(`versions left: ${left}`)
  const { proven, counts } = await verifyStorage({ client, definition })
  if (!proven || counts.listed !== count + 1) throw new Error(`not proved: ${JSON.stringify(counts)}`)
  say(`all games are stored at ${newVersion}, and ${oldVersion} is gone from the definition`)

  const chess = { metadata: { namespace, name: 'chess' }, spec: { title: 'Chess', players: 2 } }
  await taken(() => client.create(games, chess))
  await until('a new game is ready', () => isReady('chess'))
  say('the controller of games goes on')
  await rest(program)
}
