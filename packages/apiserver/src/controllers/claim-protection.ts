import { isObject, objectAt, stringAt } from '@wherry/cel/internal'
import { claimProtection } from '../builtin/claim-updates.ts'
import type { Clock } from '../clock.ts'
import type { Registry } from '../definitions/registry.ts'
import { materialise } from '../objects/stored.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import type { Writer } from '../write/writer.ts'
import { dropFinalizer } from './finalizers.ts'
import { Work } from './work.ts'

/** Releases a PersistentVolumeClaim that is being deleted once no Pod uses it. */
export class ClaimProtection {
  readonly #store: Store
  readonly #writer: Writer
  readonly #claims: ResourceType
  readonly #pods: ResourceType
  readonly #work: Work

  constructor(store: Store, registry: Registry, writer: Writer, clock: Clock, delayMs: number) {
    this.#store = store
    this.#writer = writer
    this.#claims = registry.resolve('', 'v1', 'persistentvolumeclaims')
    this.#pods = registry.resolve('', 'v1', 'pods')
    this.#work = new Work(clock, delayMs, key => this.#look(key))
    store.onCommit(({ group, plural }, version) => {
      if (group !== '') return
      if (plural === 'persistentvolumeclaims' && version.type !== 'DELETED') {
        if (version.terminating) this.#work.add(version.key)
      } else if (plural === 'pods') {
        // A Pod that has ended, or was deleted, uses no claims any more.
        this.#addAll(`${version.namespace}/`)
      }
    })
  }

  /** Processes every claim again, after the store went back to another state. */
  reload(): void {
    this.#addAll('')
  }

  #addAll(prefix: string): void {
    for (const claim of this.#store.collection(this.#claims).snapshot(prefix))
      if (claim.terminating) this.#work.add(claim.key)
  }

  #look(key: string): void {
    const version = this.#store.collection(this.#claims).get(key)
    if (version === undefined || !version.terminating || this.#isUsed(version)) return
    const object = materialise(version, 'v1', 'PersistentVolumeClaim')
    if (!object.metadata.finalizers?.includes(claimProtection)) return
    dropFinalizer(this.#writer, this.#claims, version, object, claimProtection)
  }

  #isUsed({ namespace, name }: Version): boolean {
    return this.#store
      .collection(this.#pods)
      .snapshot(`${namespace}/`)
      .some(pod => {
        const object = materialise(pod, 'v1', 'Pod')
        if (['Succeeded', 'Failed'].includes(stringAt(objectAt(object, 'status'), 'phase') ?? '')) return false
        const volumes = objectAt(object, 'spec')?.volumes
        if (!Array.isArray(volumes)) return false
        return volumes.some(
          volume => isObject(volume) && stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName') === name,
        )
      })
  }
}
