import { objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import { selectorText } from '../../selectors/selector-text.ts'
import {
  ageOf,
  containerCells,
  countAt,
  durationText,
  labelsText,
  nameOf,
  none,
  type Printer,
  since,
} from './printer.ts'

/** Objects that make Pods. */
export const workloads: Readonly<Record<string, Printer>> = {
  'deployments.apps': {
    cells(object, now) {
      const [spec, status] = parts(object)
      return [
        nameOf(object),
        `${countAt(status, 'readyReplicas')}/${countAt(spec, 'replicas')}`,
        countAt(status, 'updatedReplicas'),
        countAt(status, 'availableReplicas'),
        ageOf(object, now),
        ...containerCells(objectAt(spec, 'template')),
        selectorText(objectAt(spec, 'selector')),
      ]
    },
  },
  'replicasets.apps': {
    cells: (object, now) => [...replicas(object, now), selectorText(objectAt(parts(object)[0], 'selector')) || none],
  },
  replicationcontrollers: {
    cells: (object, now) => [...replicas(object, now), labelsText(objectAt(parts(object)[0], 'selector'))],
  },
  'statefulsets.apps': {
    cells(object, now) {
      const [spec, status] = parts(object)
      const ready = `${countAt(status, 'readyReplicas')}/${countAt(spec, 'replicas')}`
      return [nameOf(object), ready, ageOf(object, now), ...containerCells(objectAt(spec, 'template'))]
    },
  },
  'daemonsets.apps': {
    cells(object, now) {
      const [spec, status] = parts(object)
      const template = objectAt(spec, 'template')
      const counts = ['desiredNumberScheduled', 'currentNumberScheduled', 'numberReady', 'updatedNumberScheduled']
      return [
        nameOf(object),
        ...[...counts, 'numberAvailable'].map(field => countAt(status, field)),
        labelsText(objectAt(objectAt(template, 'spec'), 'nodeSelector')),
        ageOf(object, now),
        ...containerCells(template),
        selectorText(objectAt(spec, 'selector')) || none,
      ]
    },
  },
  'jobs.batch': {
    cells(object, now) {
      const [spec] = parts(object)
      return [
        ...[nameOf(object), jobStatus(object), completions(object), jobDuration(object, now), ageOf(object, now)],
        ...containerCells(objectAt(spec, 'template')),
        selectorText(objectAt(spec, 'selector')) || none,
      ]
    },
  },
  'cronjobs.batch': {
    cells(object, now) {
      const [spec, status] = parts(object)
      const job = objectAt(objectAt(spec, 'jobTemplate'), 'spec')
      const last = stringAt(status, 'lastScheduleTime')
      const suspended = own(spec ?? {}, 'suspend')
      return [
        nameOf(object),
        stringAt(spec, 'schedule') ?? '',
        stringAt(spec, 'timeZone') ?? none,
        suspended === undefined ? '<unset>' : suspended === true ? 'True' : 'False',
        objectsAt(status, 'active').length,
        last === undefined ? none : since(last, now),
        ageOf(object, now),
        ...containerCells(objectAt(job, 'template')),
        selectorText(objectAt(job, 'selector')) || none,
      ]
    },
  },
}

type Part = ReturnType<typeof objectAt>

function parts(object: KubeObject): readonly [spec: Part, status: Part] {
  return [objectAt(object, 'spec'), objectAt(object, 'status')]
}

function replicas(object: KubeObject, now: number): (string | number)[] {
  const [spec, status] = parts(object)
  const counts = [countAt(spec, 'replicas'), countAt(status, 'replicas'), countAt(status, 'readyReplicas')]
  const ofTemplate = containerCells(objectAt(spec, 'template')) as string[]
  return [nameOf(object), ...counts, ageOf(object, now), ...ofTemplate]
}

function jobStatus(job: KubeObject): string {
  const met = new Set(
    objectsAt(objectAt(job, 'status'), 'conditions')
      .filter(one => stringAt(one, 'status') === 'True')
      .map(one => stringAt(one, 'type')),
  )
  if (met.has('Complete')) return 'Complete'
  if (met.has('Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(one => met.has(one)) ?? 'Running'
}

function completions(job: KubeObject): string {
  const [spec, status] = parts(job)
  const [wanted, done] = [own(spec ?? {}, 'completions'), countAt(status, 'succeeded')]
  if (wanted !== undefined) return `${done}/${wanted as number}`
  const parallelism = countAt(spec, 'parallelism')
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`
}

function jobDuration(job: KubeObject, now: number): string {
  const [, status] = parts(job)
  const [begun, ended] = [stringAt(status, 'startTime'), stringAt(status, 'completionTime')]
  if (begun === undefined) return ''
  return ended === undefined
    ? since(begun, now)
    : durationText(Math.floor((Date.parse(ended) - Date.parse(begun)) / 1000))
}
