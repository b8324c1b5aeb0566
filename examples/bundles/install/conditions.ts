import { type Problem, summaryOf } from '../bundle/health.ts'
import type { Release } from '../bundle/source.ts'
import type { PlatformCondition } from '../platform-operator.ts'
import type { Answer } from './releases.ts'

/** Whether all of a release is applied. */
export function installedOf({ name }: Release, problems: readonly Problem[]): PlatformCondition {
  if (problems.length === 0) return { type: 'Installed', status: 'True', reason: 'Installed', message: name }
  const isWaiting = problems.some(({ reason }) => reason === 'NotServed')
  const reason = isWaiting ? 'WaitsForDefinitions' : 'Refused'
  return { type: 'Installed', status: 'False', reason, message: summaryOf(problems) }
}

/** Whether the installed release is as it should be, and works. */
export function healthyOf(problems: readonly Problem[]): PlatformCondition {
  if (problems.length === 0) return { type: 'Healthy', status: 'True', reason: 'AllAvailable', message: '' }
  return { type: 'Healthy', status: 'False', reason: 'NotAvailable', message: summaryOf(problems) }
}

/** Whether the catalog has nothing newer that could be installed. There is no such condition until the catalog has answered. */
export function upToDateOf(answer: Answer | undefined): PlatformCondition[] {
  const type = 'UpToDate'
  if (answer === undefined) return []
  if ('obstacle' in answer) return [{ type, ...answer.obstacle }]
  const { isNewest, offer } = answer
  const message = offer.release.name
  return [{ type, status: isNewest ? 'True' : 'False', reason: isNewest ? 'Newest' : 'Progressing', message }]
}

/** Conditions with these in place of those of their types. */
export function replaced(
  conditions: readonly PlatformCondition[],
  news: readonly PlatformCondition[],
): PlatformCondition[] {
  return [...conditions.filter(({ type }) => !news.some(one => one.type === type)), ...news]
}
