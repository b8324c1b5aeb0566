import { abortable } from '../abortable.ts'
import { type Check, checkOptions, flag, text } from '../errors/check.ts'
import { isNotFound, isServiceUnavailable } from '../errors/guards.ts'
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

/** What is looked for: a kind, a plural, or either with a version. */
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

export interface DiscoverOptions extends CallOptions {
  /** Ask the server also for what was found less than a second ago. @default false */
  readonly refresh?: boolean | undefined
}

const path = '/apis'
const forms = ['v2', 'v2beta1'].map(v => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`)
const accept = [...forms, 'application/json'].join(',')

/**
 * What a server serves. What was found is remembered for a second. What is not found is looked for anew: the answer behind a "no" is
 * never older than the question. However many ask, the server is asked at most once a second, and they wait for that.
 */
export class Discovery {
  readonly #caller: Caller
  readonly #documents: SharedRead<Index>

  constructor(caller: Caller) {
    this.#caller = caller
    this.#documents = new SharedRead(caller, path, async bound => new Index(await this.#read(bound)))
  }

  /** Finds a resource; `undefined` where the server has none. */
  async find(query: ResourceQuery, options: DiscoverOptions = {}): Promise<DiscoveredResource | undefined> {
    checkQuery(query)
    return this.#ask(options, index => index.find(query))
  }

  /** All that the server serves, each group's preferred version first. */
  async all(options: DiscoverOptions = {}): Promise<readonly DiscoveredResource[]> {
    return this.#ask(options, index => index.all)
  }

  /** What `of` finds in what is known, or else in what the server says from now on; many who ask share one answer. */
  async #ask<T>(options: DiscoverOptions, of: (index: Index) => T): Promise<T> {
    checkOptions('discover', options, { ...callChecks, refresh: flag })
    const { recent } = this.#documents
    const known = options.refresh === true || recent === undefined ? undefined : of(recent)
    if (known !== undefined) return known
    const fresh = ({ signal }: Bound): Promise<Index> =>
      abortable(signal, (resolve, reject) => {
        this.#documents.fresh().then(resolve, reject)
        return () => {}
      })
    return this.#caller.within(options, { method: 'GET', path }, async bound => of(await fresh(bound)))
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

  /** One version of one group, in the older form. An aggregated API that is down is not the end of the others. */
  async #version(of: Version, bound: Bound): Promise<DiscoveredVersion> {
    try {
      return readResourceList(of, await this.#document(versionPath(of), bound))
    } catch (error) {
      if (!isNotFound(error) && !isServiceUnavailable(error)) throw error
      return { ...of, resources: [] }
    }
  }

  #document(path: string, bound: Bound): Promise<object> {
    return this.#caller.json({ method: 'GET', path, accept }, bound)
  }
}

/** What was found, by what one asks for. */
class Index {
  readonly all: readonly DiscoveredResource[]

  constructor(versions: readonly DiscoveredVersion[]) {
    this.all = versions.flatMap(({ resources }) => resources)
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
