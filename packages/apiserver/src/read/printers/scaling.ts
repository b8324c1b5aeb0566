import { type Json, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import { ageOf, countAt, nameOf, none, type Printer } from './printer.ts'

const maxMetrics = 2
const unknown = '<unknown>'

/** The printers of HorizontalPodAutoscalers and PodDisruptionBudgets. */
export const scaling: Readonly<Record<string, Printer>> = {
  'horizontalpodautoscalers.autoscaling': {
    cells(object, now) {
      const [spec, status] = [objectAt(object, 'spec'), objectAt(object, 'status')]
      const to = objectAt(spec, 'scaleTargetRef')
      const min = own(spec ?? {}, 'minReplicas')
      return [
        nameOf(object),
        `${stringAt(to, 'kind') ?? ''}/${stringAt(to, 'name') ?? ''}`,
        spec !== undefined && own(spec, 'metrics') === undefined
          ? cpuText(spec, status)
          : metricsText(objectsAt(spec, 'metrics'), objectsAt(status, 'currentMetrics')),
        min === undefined ? '<unset>' : String(min),
        ...[countAt(spec, 'maxReplicas'), countAt(status, 'currentReplicas'), ageOf(object, now)],
      ]
    },
  },
  'poddisruptionbudgets.policy': {
    cells(object, now) {
      const spec = objectAt(object, 'spec') ?? {}
      return [
        ...[nameOf(object), shareText(own(spec, 'minAvailable')), shareText(own(spec, 'maxUnavailable'))],
        ...[countAt(objectAt(object, 'status'), 'disruptionsAllowed'), ageOf(object, now)],
      ]
    },
  },
}

function shareText(share: Json | undefined): string {
  return share === undefined ? 'N/A' : String(share)
}

function metricsText(metrics: readonly JsonObject[], current: readonly JsonObject[]): string {
  if (metrics.length === 0) return none
  const shown = metrics.slice(0, maxMetrics).map((metric, i) => metricText(metric, current[i]))
  const more = metrics.length - maxMetrics
  return more > 0 ? `${shown.join(', ')} + ${more} more...` : shown.join(', ')
}

/** The target for the CPU of an autoscaler of version 1 (without `metrics`), or `<none>`. */
function cpuText(spec: JsonObject, status: JsonObject | undefined): string {
  const [target, current] = [
    own(spec, 'targetCPUUtilizationPercentage'),
    own(status ?? {}, 'currentCPUUtilizationPercentage'),
  ]
  if (target === undefined) return none
  return `cpu: ${current === undefined ? unknown : `${current as number}%`}/${target as number}%`
}

/** The field with the details of a metric, in the spec and in the status, by the metric's type. */
const detailFields: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
}

/** The current value and the target of a metric, in the form of Kubernetes' `formatHPAMetrics`. `status` is that of the same metric. */
function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const type = stringAt(metric, 'type') ?? ''
  const field = detailFields[type]
  if (field === undefined) return '<unknown type>'
  const source = objectAt(metric, field)
  const [target, current] = [objectAt(source, 'target'), objectAt(objectAt(status, field), 'current')]
  const average = stringAt(target, 'averageValue')
  const value = stringAt(current, average === undefined ? 'value' : 'averageValue')
  if (field === 'pods') return `${value ?? unknown}/${average ?? ''}`
  if (field === 'external' || field === 'object') {
    return average === undefined
      ? `${value ?? unknown}/${stringAt(target, 'value') ?? ''}`
      : `${value ?? unknown}/${average} (avg)`
  }
  const name = stringAt(source, 'name') ?? ''
  if (average !== undefined) return `${name}: ${value ?? unknown}/${average}`
  const percent = (part: JsonObject | undefined, fallback: string): string => {
    const share = own(part ?? {}, 'averageUtilization')
    return share === undefined ? fallback : `${share as number}%`
  }
  return `${name}: ${percent(current, unknown)}/${percent(target, '<auto>')}`
}
