import { CustomObjectsApi, type KubeConfig, type KubernetesObject, setHeaderOptions } from '@kubernetes/client-node'
import type { KubernetesObject as PolicyObject } from '@wherry/client'
import { constraintGroup, maxViolations } from '../../../../examples/policy-sync/constraint.ts'
import { Policies, type Policy, sliceSize } from '../../../../examples/policy-sync/policies.ts'
import { ObjectStore } from '../../../../examples/policy-sync/store.ts'
import { auditDelayMs, type templateOf } from './measure.ts'

/** Audits run one after another, as those of the operator do. */
let running: Promise<void> = Promise.resolve()

/** Decides on all objects of an informer by the operator's own policies and as often, and writes its status when that changes. */
export class ClientNodeAudit {
  readonly #api: CustomObjectsApi
  readonly #plural: string
  readonly #policy: Policy
  readonly #list: () => readonly KubernetesObject[]
  #timer: NodeJS.Timeout | undefined
  #total: number | undefined

  constructor(config: KubeConfig, template: ReturnType<typeof templateOf>, list: () => readonly KubernetesObject[]) {
    this.#api = config.makeApiClient(CustomObjectsApi)
    this.#plural = template.metadata?.name ?? ''
    this.#policy = new Policies(new ObjectStore(() => {})).compile(
      template.spec.expression ?? '',
      template.spec.message ?? '',
    )
    this.#list = list
  }

  /** An object has changed: audits a moment after the first change. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      running = running.then(() => this.#audit())
    }, auditDelayMs)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await running
  }

  async #audit(): Promise<void> {
    const objects = this.#list() as readonly unknown[] as readonly PolicyObject[] // its types have a Date, and there is a string
    const violations: object[] = []
    for (let from = 0; from < objects.length; from += sliceSize) {
      const slice = objects.slice(from, from + sliceSize)
      this.#policy.decide(slice, {}).forEach((message, at) => {
        const { kind = '', metadata: { namespace = '', name = '' } = {} } = slice[at] ?? {}
        if (message !== undefined) violations.push({ kind, namespace, name, message })
      })
      await new Promise(setImmediate)
    }
    if (violations.length !== this.#total) await this.#write(violations)
    this.#total = violations.length
  }

  async #write(violations: object[]): Promise<void> {
    const audited = { type: 'Audited', status: 'True', reason: 'Audited', lastTransitionTime: new Date().toISOString() }
    const status = {
      totalViolations: violations.length,
      violations: violations.slice(0, maxViolations),
      conditions: [audited],
    }
    const constraint = { group: constraintGroup, version: 'v1', plural: this.#plural, name: 'all' }
    const merge = setHeaderOptions('Content-Type', 'application/merge-patch+json')
    await this.#api.patchClusterCustomObjectStatus({ ...constraint, body: { status } }, merge)
  }
}
