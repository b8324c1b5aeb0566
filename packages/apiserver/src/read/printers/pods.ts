import { type Json, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import { ageOf, countAt, nameOf, none, type Printer, since } from './printer.ts'

/** The combined state of a Pod's containers. */
interface State {
  reason: string
  ready: number
  restarts: number
  /** The time when a container ended last; `''` if none has ended. */
  lastRestart: string
}

/** Pods, with their state and its reason. */
export const pods: Printer = {
  cells(pod, now) {
    const [spec, status] = [objectAt(pod, 'spec'), objectAt(pod, 'status')]
    const sidecars = objectsAt(spec, 'initContainers').filter(isSidecar).length
    const state = stateOf(pod)
    const { ready, restarts, lastRestart } = state
    const again = restarts > 0 && lastRestart !== '' ? `${restarts} (${since(lastRestart, now)} ago)` : String(restarts)
    const total = objectsAt(spec, 'containers').length + sidecars
    return [
      ...[nameOf(pod), `${ready}/${total}`, reasonOf(pod, state), again, ageOf(pod, now)],
      stringAt(objectsAt(status, 'podIPs')[0], 'ip') || none,
      stringAt(spec, 'nodeName') || none,
      stringAt(status, 'nominatedNodeName') || none,
      gatesText(spec, status),
    ]
  },
  conditions(pod) {
    const phase = stringAt(objectAt(pod, 'status'), 'phase')
    if (phase !== 'Succeeded' && phase !== 'Failed') return []
    const message = phase === 'Failed' ? 'The pod failed.' : 'The pod has completed successfully.'
    return [{ type: 'Completed', status: 'True', reason: phase, message }]
  },
}

const isSidecar = (container: JsonObject | undefined): boolean => stringAt(container, 'restartPolicy') === 'Always'

function stateOf(pod: KubeObject): State {
  const [spec, status] = [objectAt(pod, 'spec'), objectAt(pod, 'status')]
  const conditions = objectsAt(status, 'conditions')
  const gated = conditions.some(
    one => stringAt(one, 'type') === 'PodScheduled' && stringAt(one, 'reason') === 'SchedulingGated',
  )
  const reason = gated ? 'SchedulingGated' : stringAt(status, 'reason') || stringAt(status, 'phase') || ''
  const all: State = { reason, ready: 0, restarts: 0, lastRestart: '' }
  const ofSidecars = { restarts: 0, lastRestart: '' }
  const starting = startState(spec, status, all, ofSidecars)
  const initialized = conditions.some(
    one => stringAt(one, 'type') === 'Initialized' && stringAt(one, 'status') === 'True',
  )
  if (starting && !initialized) return all
  Object.assign(all, ofSidecars)
  runState(status, conditions, all)
  return all
}

function countRestarts(container: JsonObject, into: Pick<State, 'restarts' | 'lastRestart'>): void {
  into.restarts += countAt(container, 'restartCount')
  const ended = stringAt(objectAt(objectAt(container, 'lastState'), 'terminated'), 'finishedAt') ?? ''
  if (ended > into.lastRestart) into.lastRestart = ended
}

/** Reads the state of the init containers. Returns whether one has not ended yet. */
function startState(
  spec: JsonObject | undefined,
  status: JsonObject | undefined,
  all: State,
  ofSidecars: Pick<State, 'restarts' | 'lastRestart'>,
): boolean {
  const first = objectsAt(spec, 'initContainers')
  const sidecars = new Set(first.filter(isSidecar).map(one => own(one, 'name')))
  for (const [i, container] of objectsAt(status, 'initContainerStatuses').entries()) {
    const state = objectAt(container, 'state')
    const [ended, waiting] = [objectAt(state, 'terminated'), stringAt(objectAt(state, 'waiting'), 'reason') ?? '']
    const sidecar = sidecars.has(own(container, 'name'))
    countRestarts(container, all)
    if (sidecar) countRestarts(container, ofSidecars)
    if (ended !== undefined && countAt(ended, 'exitCode') === 0) continue
    if (sidecar && own(container, 'started') === true) {
      if (own(container, 'ready') === true) all.ready++
      continue
    }
    if (ended !== undefined) all.reason = `Init:${endText(ended)}`
    else if (waiting !== '' && waiting !== 'PodInitializing') all.reason = `Init:${waiting}`
    else all.reason = `Init:${i}/${first.length}`
    return true
  }
  return false
}

function runState(status: JsonObject | undefined, conditions: readonly JsonObject[], all: State): void {
  let [runs, failure] = [false, '']
  for (const container of objectsAt(status, 'containerStatuses').toReversed()) {
    const state = objectAt(container, 'state')
    const [ended, waiting] = [objectAt(state, 'terminated'), stringAt(objectAt(state, 'waiting'), 'reason') ?? '']
    countRestarts(container, all)
    if (waiting !== '') all.reason = waiting
    else if (ended !== undefined) {
      all.reason = endText(ended)
      if (countAt(ended, 'exitCode') !== 0) failure = all.reason
    } else if (own(container, 'ready') === true && objectAt(state, 'running') !== undefined) {
      runs = true
      all.ready++
    }
  }
  if (all.reason !== 'Completed') return
  const ready = conditions.some(one => stringAt(one, 'type') === 'Ready' && stringAt(one, 'status') === 'True')
  if (runs && ready) all.reason = 'Running'
  else if (failure !== '') all.reason = failure
  else if (runs) all.reason = 'NotReady'
}

/** The reason for which a container ended. */
function endText(ended: JsonObject): string {
  const [reason, signal] = [stringAt(ended, 'reason') ?? '', countAt(ended, 'signal')]
  if (reason !== '') return reason
  return signal === 0 ? `ExitCode:${countAt(ended, 'exitCode')}` : `Signal:${signal}`
}

function reasonOf(pod: KubeObject, { reason }: State): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason
  const status = objectAt(pod, 'status')
  if (stringAt(status, 'reason') === 'NodeLost') return 'Unknown'
  return ['Succeeded', 'Failed'].includes(stringAt(status, 'phase') ?? '') ? reason : 'Terminating'
}

function gatesText(spec: JsonObject | undefined, status: JsonObject | undefined): Json {
  const gates = objectsAt(spec, 'readinessGates')
  if (gates.length === 0) return none
  const met = gates.filter(gate => {
    const type = stringAt(gate, 'conditionType')
    const condition = objectsAt(status, 'conditions').find(one => stringAt(one, 'type') === type)
    return stringAt(condition, 'status') === 'True'
  })
  return `${met.length}/${gates.length}`
}
