import { type JsonObject, objectAt, own, sameJson } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { fieldProblems } from './immutable.ts'

const maxInt32 = 2_147_483_647
const controllerUid = 'batch.kubernetes.io/controller-uid'

function labelsOf(job: KubeObject): JsonObject | undefined {
  return objectAt(objectAt(objectAt(objectAt(job, 'spec'), 'template'), 'metadata'), 'labels')
}

/** Fills in the defaults of a Job that the `jobTemplate` of a CronJob does not get. */
export function completeJob(job: KubeObject): void {
  job.spec ??= {}
  const spec = objectAt(job, 'spec')
  if (spec === undefined) return
  if (own(spec, 'parallelism') == null) spec.completions ??= 1
  spec.parallelism ??= 1
  spec.backoffLimit ??= own(spec, 'backoffLimitPerIndex') == null ? 6 : maxInt32
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.podReplacementPolicy ??= own(spec, 'podFailurePolicy') == null ? 'TerminatingOrFailed' : 'Failed'
  spec.manualSelector ??= false
  labelAsPods(job)
}

/** Gives an object that makes Pods the labels of its Pods, if it has no labels. */
export function labelAsPods(job: KubeObject): void {
  const labels = labelsOf(job)
  if (labels !== undefined && job.metadata.labels === undefined)
    job.metadata.labels = { ...labels } as { [key: string]: string }
}

/** The labels that a server adds to a Job's Pods. */
export function ownLabels(name: string, uid: string): { [key: string]: string } {
  return {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    [controllerUid]: uid,
  }
}

/** Adds {@link ownLabels} to the Pods of a new Job, and the label with the Job's UID to the Job's selector. */
export function selectOwnPods(job: KubeObject): void {
  const spec: JsonObject = { ...objectAt(job, 'spec') }
  if (own(spec, 'manualSelector') === true) return
  const { name = '', uid = '' } = job.metadata
  const template = objectAt(spec, 'template') ?? {}
  const metadata = objectAt(template, 'metadata') ?? {}
  const given = objectAt(metadata, 'labels') ?? {}
  const labels = { ...ownLabels(name, uid), ...given }
  spec.template = { ...template, metadata: { ...metadata, labels } }
  const selector = objectAt(spec, 'selector') ?? {}
  spec.selector = { ...selector, matchLabels: { [controllerUid]: uid, ...objectAt(selector, 'matchLabels') } }
  job.spec = spec
}

/** Gives a Job the labels of its Pods, if it lacks only the labels of {@link ownLabels}. A real server does this when it reads an object from etcd. */
export function labelAsOwnPods(job: KubeObject): void {
  const labels = labelsOf(job)
  const { name = '', uid = '', labels: given = {} } = job.metadata
  if (labels !== undefined && sameJson({ ...ownLabels(name, uid), ...given }, labels))
    job.metadata.labels = { ...labels } as { [key: string]: string }
}

/** The problems of a Job that replaces another. */
export function jobProblems(job: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [spec, before] = [objectAt(job, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
  const indexed = own(spec, 'completionMode') === 'Indexed'
  const causes: StatusCause[] = []
  if (!indexed) causes.push(...fieldProblems(job, old, ['spec.completions']))
  else if (
    !sameJson(own(spec, 'completions'), own(before, 'completions')) &&
    own(spec, 'completions') !== own(spec, 'parallelism')
  ) {
    causes.push(
      invalid('spec.completions', own(spec, 'completions'), 'can only be modified in tandem with spec.parallelism'),
    )
  }
  causes.push(...fieldProblems(job, old, ['spec.selector']))
  causes.push(...templateProblems(job, old))
  const others = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']
  return [
    ...causes,
    ...fieldProblems(
      job,
      old,
      others.map(field => `spec.${field}`),
    ),
  ]
}

/** The causes against a changed template of a Job. While the Job is suspended, the nodes, resources and metadata of its Pods may be changed. */
function templateProblems(job: KubeObject, old: KubeObject): StatusCause[] {
  if (own(objectAt(old, 'spec') ?? {}, 'suspend') !== true) return fieldProblems(job, old, ['spec.template'])
  const fixed = (of: KubeObject): KubeObject => {
    const spec = objectAt(of, 'spec') ?? {}
    const template = objectAt(spec, 'template') ?? {}
    return { ...of, spec: { template: { spec: withoutScheduling(objectAt(template, 'spec') ?? {}) } } }
  }
  return fieldProblems(fixed(job), fixed(old), ['spec.template.spec'])
}

function withoutScheduling(spec: JsonObject): JsonObject {
  const { nodeSelector: _n, tolerations: _t, schedulingGates: _g, affinity, ...rest } = spec
  const { nodeAffinity: _a, ...others } = (affinity ?? {}) as JsonObject
  const bare = ['containers', 'initContainers'].map(list => {
    const items = (own(spec, list) ?? []) as JsonObject[]
    return [list, items.map(({ resources: _, ...container }) => container)] as const
  })
  return { ...rest, affinity: others, ...Object.fromEntries(bare) }
}
