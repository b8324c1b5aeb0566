import { defineResource, OptionTypeError } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { schemaProblems, structuralSchema } from '@wherry/crd'
import { assembleDefinition, type VersionParts } from '@wherry/crd/internal'
import ts from 'typescript'
import { refused } from '../failure.ts'
import { docCommentOf } from './doc-comment.ts'
import { isOfKind, type KindTags, kindTags } from './kind-tags.ts'
import { placeOf } from './marks.ts'
import { isServersOwn, misplacedTag, schemaAt } from './misplaced.ts'
import { placeOfNode } from './place.ts'
import { Programs } from './program.ts'
import { SchemaReader } from './schema-reader.ts'
import { SourceFiles } from './source-files.ts'

/** An interface that describes a version of a kind. */
interface Version {
  readonly tags: KindTags
  readonly parts: Omit<VersionParts, 'storage'>
  readonly place: string
  /** The places where the fields are declared, by path. */
  readonly places: ReadonlyMap<string, string>
}

/**
 * The definitions of the interfaces with the tag `@group` in these files. Several interfaces of one group and kind are versions of one definition.
 *
 * @param files absolute paths
 * @param cwd the folder that paths in errors are relative to
 * @throws CommandFailure with the file and line of each problem
 */
export function interfaceDefinitions(files: readonly string[], cwd: string): readonly CustomResourceDefinition[] {
  return new InterfaceFiles(files, cwd).definitions()
}

/** Reads the same files again and again, as {@link interfaceDefinitions} does once. A file that has not changed is parsed once. */
export class InterfaceFiles {
  readonly #files: readonly string[]
  readonly #cwd: string
  readonly #sources: SourceFiles
  readonly #small: Programs
  readonly #versions = new WeakMap<CustomResourceDefinition, readonly Version[]>()
  #whole: Programs | undefined

  /** @param sources the sources that were parsed already for other files with the same options */
  constructor(files: readonly string[], cwd: string, sources: SourceFiles = new SourceFiles()) {
    this.#files = files
    this.#cwd = cwd
    this.#sources = sources
    this.#small = new Programs(files, cwd, 'language', sources)
  }

  /** The definitions in the files, without changes that {@link haveChanged} was not asked about. */
  definitions(): readonly CustomResourceDefinition[] {
    const small = this.#read(this.#small, true)
    if (small !== undefined) return small
    this.#whole ??= new Programs(this.#files, this.#cwd, 'all', this.#sources)
    return this.#read(this.#whole, false) ?? []
  }

  /** The files that the definitions were made from, with the files that they import, except for those of packages. */
  ownFiles(): ReadonlySet<string> {
    return new Set([...this.#files, ...this.#small.ownFiles(), ...(this.#whole?.ownFiles() ?? [])])
  }

  /** Whether a file has changed since it was parsed. A changed file is parsed again for the next result. */
  haveChanged(files: ReadonlySet<string>): boolean {
    return this.#sources.forgetChanged(files)
  }

  /**
   * The place where a field is declared, or else the nearest field around it: `src/game.ts:12`. Undefined for a definition that was not read here.
   *
   * @param version the index of the version in the definition
   */
  placeOf(definition: CustomResourceDefinition, version: number, path: string): string | undefined {
    const found = this.#versions.get(definition)?.[version]
    return found && (placeOf(path, found.places) ?? found.place)
  }

  /** Reads the definitions. Returns undefined if a partial program has an error that a program with all types might not have. */
  #read(programs: Programs, isPartial: boolean): readonly CustomResourceDefinition[] | undefined {
    const cwd = this.#cwd
    const problems = new Set<string>()
    const refuse = (place: string, message: string): void => void problems.add(`${place}: ${message}`)
    const program = programs.next()
    for (const file of this.#files) programs.refuseErrors(program, file, refuse)
    if (isPartial && problems.size > 0) return undefined
    end(problems)
    const roots = this.#files.flatMap(file => {
      const statements: readonly ts.Statement[] = program.getSourceFile(file)?.statements ?? []
      return statements.filter(ts.isInterfaceDeclaration).filter(node => isOfKind(docCommentOf(node)))
    })
    const reader = new SchemaReader(program, roots, cwd, refuse)
    const versions = roots.flatMap(root => versionOf(root, reader, cwd, refuse) ?? [])
    if (isPartial && this.#isDoubtful(programs, program, reader)) return undefined
    const kinds = Map.groupBy(versions, ({ tags }) => `${tags.kind}.${tags.group}`)
    const definitions = [...kinds.values()].flatMap(one => {
      const definition = definitionOf(one, refuse)
      if (definition !== undefined) this.#versions.set(definition, one)
      return definition ?? []
    })
    end(problems)
    return definitions
  }

  /** Whether a type was not found, or a file that types were read from has an error. */
  #isDoubtful(programs: Programs, program: ts.Program, { references }: SchemaReader): boolean {
    if (references.hasMissed) return true
    let hasError = false
    for (const file of references.files)
      programs.refuseErrors(program, file, () => {
        hasError = true
      })
    return hasError
  }
}

function end(problems: ReadonlySet<string>): void {
  if (problems.size > 0) throw refused([...problems].join('\n'))
}

function versionOf(
  root: ts.InterfaceDeclaration,
  reader: SchemaReader,
  cwd: string,
  refuse: (place: string, message: string) => void,
): Version | undefined {
  const comment = docCommentOf(root)
  if (!isOfKind(comment)) return undefined
  const place = placeOfNode(root, cwd)
  const tags = kindTags(comment, root.name.text, message => refuse(place, message))
  const read = reader.read(root, comment.description, tags.others)
  if (read === undefined || tags.version === '') return undefined
  const { schema, places, tags: tagsOfFields } = read
  const wrong = schemaProblems(schema, { path: '' })
  for (const { path, message } of wrong) {
    const field = path.replace(/^\./, '')
    refuse(placeOf(field, places) ?? place, `${field} ${message}`.trim())
  }
  if (wrong.length > 0) return undefined
  const structural = structuralSchema(schema)
  for (const [field, names] of tagsOfFields)
    for (const tag of names) {
      if (isServersOwn(field) && !documents.has(tag))
        refuse(
          placeOf(field, places) ?? place,
          `${field} has @${tag}, and a server takes limits of metadata.name and metadata.generateName only. Write it as a @validation of the kind.`,
        )
      const why = misplacedTag(tag, schemaAt(structural, field) ?? {})
      if (why !== undefined)
        refuse(placeOf(field, places) ?? place, `${field} has @${tag}, which ${why}. Leave it out.`)
    }
  const { version, served, deprecated, scale, printColumns, selectableFields } = tags
  const hasStatus = tags.hasStatus ?? structural.properties?.status !== undefined
  const options = { served, deprecated, scale, printColumns, selectableFields }
  return { tags, place, places, parts: { ...options, name: version, schema: structural, hasStatus, prefix: '' } }
}

/** Tags that only document, and the raw schema by which `wherry types` writes the limits of names. */
const documents: ReadonlySet<string> = new Set([
  'schema',
  'deprecated',
  'example',
  'remarks',
  'see',
  'since',
  'optional',
])

function definitionOf(
  versions: readonly Version[],
  refuse: (place: string, message: string) => void,
): CustomResourceDefinition | undefined {
  const stored = versions.length === 1 ? versions : versions.filter(({ tags }) => tags.storage)
  const [storage] = stored
  const { place, tags } = storage ?? (versions[0] as Version)
  if (storage === undefined || stored.length > 1) {
    const names = versions.map(one => `${one.tags.version} (${one.place})`).join(', ')
    refuse(place, `${tags.kind} has the versions ${names}: exactly one takes the tag @storage.`)
    return undefined
  }
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(tags.group)) {
    refuse(place, `has @group ${tags.group}, which takes a domain with a dot: arcade.example.com.`)
    return undefined
  }
  try {
    const { group, version, kind, plural, namespaced } = tags
    defineResource({ group, version, kind, plural, namespaced })
    const { metadata, spec, ...rest } = assembleDefinition(
      tags,
      versions.map(one => ({ ...one.parts, storage: one === storage })),
    )
    const labelled = { ...metadata, ...(tags.labels && { labels: { ...tags.labels } }) }
    return { ...rest, metadata: labelled, spec: { ...spec, ...tags.more } }
  } catch (error) {
    if (!(error instanceof OptionTypeError) && (error as Error).name !== 'InvalidNameError') throw error
    refuse(place, (error as Error).message)
    return undefined
  }
}
