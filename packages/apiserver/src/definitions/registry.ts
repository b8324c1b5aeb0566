import { BuiltinConversion, storedElsewhere } from '../conversion/builtin.ts'
import { builtinResources } from '../generated/builtin-resources.ts'
import { builtinType } from '../resources/builtin.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'

const builtin = new Map<string, ResourceType>()
/** The built-in resources by group, version and plural, so that a lookup need not build a key. */
const builtinByGroup = new Map<string, Map<string, Map<string, ResourceType>>>()
for (const resource of builtinResources) {
  const type = builtinType(resource)
  builtin.set(typeKey(type.group, type.version, type.plural), type)
}

for (const [key, [group, version]] of Object.entries(storedElsewhere)) {
  const [apiVersion = '', plural = ''] = key.split(' ')
  const [itsGroup = '', itsVersion = ''] = apiVersion.split('/')
  const type = builtin.get(typeKey(itsGroup, itsVersion, plural)) as ResourceType
  const storage = builtin.get(typeKey(group, version, plural)) as ResourceType
  const conversion = new BuiltinConversion(storage)
  builtin.set(typeKey(itsGroup, itsVersion, plural), { ...type, storage, storageVersion: version, conversion })
}

/** The first resource of each kind. */
const builtinByKind = new Map<string, ResourceType>()

for (const type of builtin.values()) {
  const versions = builtinByGroup.get(type.group) ?? new Map<string, Map<string, ResourceType>>()
  const plurals = versions.get(type.version) ?? new Map<string, ResourceType>()
  const kind = `${type.apiVersion} ${type.kind}`
  if (!builtinByKind.has(kind)) builtinByKind.set(kind, type)
  builtinByGroup.set(type.group, versions.set(type.version, plurals.set(type.plural, type)))
}

function typeKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`
}

/** The served resources, by endpoint: the built-in ones and the current custom ones. */
export class Registry {
  readonly #custom = new Map<string, ResourceType>()

  /** The resource at an endpoint. Throws the server's 404, which is plain text unless the group is built in. */
  resolve(group: string, version: string, plural: string): ResourceType {
    const type = this.find(group, version, plural)
    if (type !== undefined) return type
    throw this.missing(group)
  }

  /** The 404 for a resource that a group does not have: a Status if the group is built in, otherwise plain text. */
  missing(group: string): StatusError {
    return builtinByGroup.has(group) ? StatusError.noSuchResource() : StatusError.noSuchPath()
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    const found = builtinByGroup.get(group)?.get(version)?.get(plural)
    if (found !== undefined || this.#custom.size === 0) return found
    return this.#custom.get(typeKey(group, version, plural))
  }

  /** The resource of a kind, by `apiVersion` and `kind`. */
  findKind(apiVersion: string, kind: string): ResourceType | undefined {
    const found = builtinByKind.get(`${apiVersion} ${kind}`)
    if (found !== undefined) return found
    for (const type of this.#custom.values()) if (type.kind === kind && type.apiVersion === apiVersion) return type
    return undefined
  }

  /** The resource of a kind at any version: objects stay reachable if their version is no longer served. */
  findGroupKind(group: string, kind: string): ResourceType | undefined {
    for (const type of this.all()) if (type.kind === kind && type.group === group) return type
    return undefined
  }

  /** The resource at any version, as storage identifies it. */
  findStored(group: string, plural: string): ResourceType | undefined {
    for (const type of this.all()) {
      if (type.group === group && type.plural === plural && type.storage === undefined) return type
    }
    return undefined
  }

  serve(type: ResourceType): void {
    this.#custom.set(typeKey(type.group, type.version, type.plural), type)
  }

  /** Stops serving a custom resource at all of its versions. */
  withdraw(group: string, plural: string): void {
    for (const [key, type] of this.#custom) {
      if (type.group === group && type.plural === plural) this.#custom.delete(key)
    }
  }

  /** Stops serving every custom resource. */
  withdrawAll(): void {
    this.#custom.clear()
  }

  *all(): Generator<ResourceType> {
    yield* builtin.values()
    yield* this.#custom.values()
  }

  /** The resources that definitions define. */
  custom(): Iterable<ResourceType> {
    return this.#custom.values()
  }
}
