import { isForbidden, isObjectNotFound } from '../errors/guards.ts'
import type { Bound, Caller } from '../verbs/caller.ts'
import { versionPath } from '../views/path.ts'
import { encodeSegment } from '../views/segment.ts'
import type { AbsenceProof, Asked } from '../watch/absence-proof.ts'
import { readCoreVersions, readGroupVersions, type Version } from './document.ts'
import { SharedRead } from './shared-read.ts'

/** The maximum time of a proof, in milliseconds. The resource is tried again in any case. */
const timeoutMs = 10_000

/** The groups with a dot that kube-apiserver serves itself. No definition can be in any of them, nor in a group without a dot. */
const ownGroups: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
])

/**
 * Whether a resource is built into Kubernetes, so that neither a definition nor an aggregated API adds or removes it.
 * @param resource `group/version/plural`; `version/plural` in the core group
 */
export function isBuiltIn(resource: string): boolean {
  const { group } = partsOf(resource)
  return !group.includes('.') || ownGroups.has(group)
}

/**
 * Proves that the server does not serve a resource. A 404 alone is no proof: a load balancer sends one too, and so does a
 * server that has just started.
 */
export class Absence implements AbsenceProof {
  readonly #caller: Caller
  readonly #reads = new Map<string, SharedRead<boolean>>()

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The number of resources that are remembered. */
  get size(): number {
    return this.#reads.size
  }

  /**
   * Resolves with true if the server is proved not to serve a resource now, at the requested path; with false if it does, or if
   * there is no proof. The server is asked at most once a second for each resource. Rejects if the server does not answer.
   * @param resource `group/version/plural`; `version/plural` in the core group
   */
  async isProved(resource: string, { isInNamespace = false, hasState = false }: Asked = {}): Promise<boolean> {
    // Kubernetes' own resources never go.
    if (hasState && isBuiltIn(resource)) return false
    const id = `${resource} ${isInNamespace}`
    let read = this.#reads.get(id)
    if (read === undefined) {
      const parts = { ...partsOf(resource), isInNamespace }
      const prove = (bound: Bound): Promise<boolean> => this.#prove(resource, parts, bound)
      read = new SharedRead(this.#caller, versionPath(parts), prove, timeoutMs)
      // Resources come and go, so idle entries are dropped.
      for (const [other, known] of this.#reads) if (known.isIdle) this.#reads.delete(other)
      this.#reads.set(id, read)
    }
    return read.fresh()
  }

  async #prove(resource: string, parts: Parts, bound: Bound): Promise<boolean> {
    const served = isBuiltIn(resource) ? undefined : await this.#isDefined(parts, bound)
    return served === undefined ? this.#isUndiscovered(parts, bound) : !served
  }

  /** Whether the definition of a resource serves the version. `undefined`: there is no definition, or it may not be read. */
  async #isDefined({ group, version, plural, isInNamespace }: Parts, bound: Bound): Promise<boolean | undefined> {
    const name = `${plural}.${group}`
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeSegment('name', name)}`
    try {
      const found: Definition = await this.#caller.json({ method: 'GET', path, key: name }, bound)
      const versions = found.spec?.versions
      if (found.kind !== 'CustomResourceDefinition' || found.metadata?.name !== name || !Array.isArray(versions)) {
        return true
      }
      if (isInNamespace && found.spec?.scope === 'Cluster') return false
      return versions.some(one => one?.name === version && one.served !== false)
    } catch (error) {
      if (isForbidden(error) || isObjectNotFound(error)) return undefined
      throw error
    }
  }

  /** Whether the discovery documents lack the resource. */
  async #isUndiscovered(parts: Parts, bound: Bound): Promise<boolean> {
    const { group, version, plural } = parts
    const isCore = group === ''
    const root = (await this.#caller.json({ method: 'GET', path: isCore ? '/api' : '/apis' }, bound)) as Document
    const isWhole = isCore ? isList(root, 'APIVersions', 'versions') : isList(root, 'APIGroupList', 'groups')
    if (!isWhole) return false
    const versions = isCore ? readCoreVersions(root) : readGroupVersions(root)
    if (!versions.some(one => one.group === group && one.version === version)) return true
    const list = (await this.#caller.json({ method: 'GET', path: versionPath(parts) }, bound)) as Document
    if (!isList(list, 'APIResourceList', 'resources')) return false
    if (list.groupVersion !== (isCore ? version : `${group}/${version}`)) return false
    const listed = (list.resources as readonly Listed[]).find(one => one?.name === plural)
    return listed === undefined || (parts.isInNamespace && listed.namespaced === false)
  }
}

interface Names extends Version {
  readonly plural: string
}

interface Parts extends Names {
  readonly isInNamespace: boolean
}

interface Listed {
  readonly name?: unknown
  readonly namespaced?: unknown
}

interface Definition {
  readonly kind?: unknown
  readonly metadata?: { readonly name?: unknown }
  readonly spec?: { readonly versions?: unknown; readonly scope?: unknown }
}

type Document = Readonly<Record<string, unknown>>

function isList(document: Document, kind: string, key: string): boolean {
  return document.kind === kind && Array.isArray(document[key])
}

function partsOf(resource: string): Names {
  const parts = resource.split('/')
  const [plural = '', version = '', group = ''] = parts.reverse()
  return { group, version, plural }
}
