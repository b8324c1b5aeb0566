import { abortable } from '../abortable.ts'
import { asError } from '../errors/as-error.ts'
import { type Check, checkOptions, flag, text } from '../errors/check.ts'
import { OptionTypeError } from '../errors/option.ts'
import type { Bound, Caller } from '../verbs/caller.ts'
import { type CallOptions, callChecks } from '../verbs/options.ts'
import { versionPath } from '../views/path.ts'
import {
  type DiscoveredResource,
  type DiscoveredVersion,
  isAggregated,
  readAggregated,
  readCoreVersions,
  readGroupVersions,
  readResourceList,
  type Version,
} from './document.ts'
import { SharedRead } from './shared-read.ts'

/** The resource to look for: a kind, a plural, or either with a version. */
export interface ResourceQuery {
  /** API group; `''` is the core group. */
  readonly group: string
  /** @default the version that the server prefers, of those that have the resource */
  readonly version?: string | undefined
  /** The objects' kind. Give this, or `plural`. */
  readonly kind?: string | undefined
  /** The resource's name in paths. A singular or a short name does too. Give this, or `kind`. */
  readonly plural?: string | undefined
}

/** Which resources to look for, and how long. */
export interface DiscoverOptions extends CallOptions {
  /** Whether to ask the server again for a resource that was found less than a second ago. @default false */
  readonly refresh?: boolean | undefined
}

const path = '/apis'
/** The maximum time of one request in the older form, for one version of one group, in milliseconds. */
const versionMs = 10_000
const forms = ['v2', 'v2beta1'].map(v => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`)
const accept = [...forms, 'application/json'].join(',')

/**
 * The resources that a server serves. A found resource is remembered for a second. A missing resource is searched again: a negative answer is
 * never older than the call. The server is asked at most once a second, and concurrent callers share the answer.
 */
export class Discovery {
  readonly #caller: Caller
  readonly #documents: SharedRead<Index>

  constructor(caller: Caller) {
    this.#caller = caller
    this.#documents = new SharedRead(caller, path, async bound => new Index(await this.#read(bound)))
  }

  /** Finds a resource; `undefined` if the server has none. Rejects if its group can't be read. */
  async find(query: ResourceQuery, options: DiscoverOptions = {}): Promise<DiscoveredResource | undefined> {
    checkQuery(query)
    const index = await this.#ask(options, one => one.find(query) !== undefined)
    const found = index.find(query)
    const error = found === undefined ? index.errorOf(query) : undefined
    if (error !== undefined) throw error
    return found
  }

  /** All that the server serves, each group's preferred version first. */
  async all(options: DiscoverOptions = {}): Promise<readonly DiscoveredResource[]> {
    const { all, failed } = await this.#ask(options, () => true)
    for (const { group, version, error } of failed) {
      const message = `the resources of ${group}/${version} can't be discovered: ${error?.message}`
      this.#caller.environment.onWarning(message, { resource: `${group}/${version}` })
    }
    return all
  }

  /** Resolves with the known resources if they are enough, else with the server's answer. Concurrent callers share one answer. */
  async #ask(options: DiscoverOptions, isEnough: (index: Index) => boolean): Promise<Index> {
    checkOptions('discover', options, { ...callChecks, refresh: flag })
    const { recent } = this.#documents
    if (options.refresh !== true && recent !== undefined && isEnough(recent)) return recent
    const fresh = ({ signal }: Bound): Promise<Index> =>
      abortable(signal, (resolve, reject) => {
        this.#documents.fresh().then(resolve, reject)
        return () => {}
      })
    return this.#caller.within(options, { method: 'GET', path }, fresh)
  }

  async #read(bound: Bound): Promise<DiscoveredVersion[]> {
    const [core, groups] = await Promise.all([this.#document('/api', bound), this.#document('/apis', bound)])
    const aggregated = [core, groups].filter(isAggregated).flatMap(readAggregated)
    const versions = [
      ...(isAggregated(core) ? [] : readCoreVersions(core)),
      ...(isAggregated(groups) ? [] : readGroupVersions(groups)),
    ]
    return [...aggregated, ...(await Promise.all(versions.map(version => this.#version(version, bound))))]
  }

  /** Reads one version of one group in the older form. If that fails, the other versions are still read. */
  async #version(of: Version, { signal }: Bound): Promise<DiscoveredVersion> {
    const path = versionPath(of)
    try {
      const read = (bound: Bound): Promise<object> => this.#document(path, bound)
      return readResourceList(
        of,
        await this.#caller.within({ signal, timeoutMs: versionMs }, { method: 'GET', path }, read),
      )
    } catch (error) {
      signal.throwIfAborted()
      // This includes a 404: the version was listed just before, so its resources are unknown, and not absent.
      return { ...of, resources: [], error: asError(error) }
    }
  }

  #document(path: string, bound: Bound): Promise<object> {
    return this.#caller.json({ method: 'GET', path, accept }, bound)
  }
}

/** The found resources, by kind and by plural name. */
class Index {
  readonly all: readonly DiscoveredResource[]
  /** The versions that could not be read. */
  readonly failed: readonly DiscoveredVersion[]

  constructor(versions: readonly DiscoveredVersion[]) {
    this.all = versions.flatMap(({ resources }) => resources)
    this.failed = versions.filter(({ error }) => error !== undefined)
  }

  /** The error because of which it is unknown whether the server has the resource. */
  errorOf({ group, version }: ResourceQuery): Error | undefined {
    return this.failed.find(one => one.group === group && (version === undefined || one.version === version))?.error
  }

  find(query: ResourceQuery): DiscoveredResource | undefined {
    const { group, version, kind, plural } = query
    const candidates = this.all.filter(
      resource => resource.group === group && (version === undefined || resource.version === version),
    )
    if (kind !== undefined)
      return candidates.find(r => r.kind === kind && (plural === undefined || r.plural === plural))
    return (
      candidates.find(resource => resource.plural === plural) ??
      candidates.find(({ singular, shortNames }) => singular === plural || shortNames.includes(plural as string))
    )
  }
}

function checkQuery(query: unknown): asserts query is ResourceQuery {
  const group: Check = (option, value) => {
    if (value !== '') text(option, value)
  }
  checkOptions('discover', query, { group, version: text, kind: text, plural: text }, ['group'])
  const { kind, plural } = query as Partial<ResourceQuery>
  if (kind === undefined && plural === undefined) throw new OptionTypeError('discover', 'a kind or a plural', 'neither')
}
