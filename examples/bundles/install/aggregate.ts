import { conditionOf, type NewCondition } from '@wherry/controller'
import { cut } from '../bundle/health.ts'
import type { OperatorState } from '../platform.ts'
import type { PlatformCondition, PlatformOperator } from '../platform-operator.ts'

/**
 * How one PlatformOperator is. `available`: the installed release works. `progressing`: something is being installed, upgraded or removed. `degraded`: it is
 * not what it should be, and somebody has to see to it.
 */
export function stateOf({ metadata, status }: PlatformOperator): OperatorState {
  const find = (type: string): PlatformCondition | undefined => conditionOf(status?.conditions, type)
  const [installed, upToDate, healthy, pruned] = ['Installed', 'UpToDate', 'Healthy', 'Pruned'].map(find)
  const { bundle } = status ?? {}
  const available = bundle !== undefined && healthy?.status === 'True'
  const isGoing = metadata.deletionTimestamp !== undefined
  const isWaiting = installed?.reason === 'WaitsForDefinitions'
  const progressing = isGoing || isWaiting || installed === undefined || upToDate?.reason === 'Progressing'
  const isNotInstalled = installed?.status === 'False' && !isWaiting
  const isBehind = upToDate !== undefined && upToDate.status !== 'True' && upToDate.reason !== 'Progressing'
  const isStuck = pruned?.reason === 'Failed'
  const degraded = isStuck || (!isGoing && (isNotInstalled || isBehind))
  const why = isStuck
    ? pruned
    : isNotInstalled
      ? installed
      : isBehind
        ? upToDate
        : available
          ? undefined
          : (healthy ?? installed)
  return {
    name: metadata.name ?? '',
    ...(bundle !== undefined && { version: bundle.version }),
    ...{ available, progressing, degraded },
    ...(why !== undefined && { message: cut([why.reason, why.message].filter(text => text).join(': ')) }),
  }
}

/** The conditions of all of them together. */
export function conditionsOf(states: readonly OperatorState[]): readonly NewCondition[] {
  const condition = (
    type: string,
    isTrue: boolean,
    concerned: readonly OperatorState[],
    what: string,
  ): NewCondition => {
    const status = isTrue ? 'True' : 'False'
    if (concerned.length === 0) return { type, status, reason: 'AsExpected', message: '' }
    const names = concerned.map(({ name }) => name).join(', ')
    return { type, status, reason: reasonOf[type] as string, message: cut(`${concerned.length} ${what}: ${names}`) }
  }
  const unavailable = states.filter(one => !one.available)
  const progressing = states.filter(one => one.progressing)
  const degraded = states.filter(one => one.degraded)
  return [
    condition('Available', unavailable.length === 0, unavailable, `of ${states.length} not available`),
    condition('Progressing', progressing.length > 0, progressing, `of ${states.length} progressing`),
    condition('Degraded', degraded.length > 0, degraded, `of ${states.length} degraded`),
  ]
}

const reasonOf: Readonly<Record<string, string>> = {
  Available: 'NotAvailable',
  Progressing: 'Progressing',
  Degraded: 'Degraded',
}
