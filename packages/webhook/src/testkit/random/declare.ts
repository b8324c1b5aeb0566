import type { CommonContext } from '../../handler/context.ts'
import type { Operation } from '../../handler/request.ts'
import type { Webhooks } from '../../webhooks.ts'
import { type Game, games } from '../games.ts'
import { changes, forbidden, forbiddenForStatus, statusChanges } from './change.ts'
import { callOf, isActing } from './oracle.ts'
import type { Plan } from './plan.ts'

type Called = CommonContext & {
  readonly operation: Operation
  readonly object: Game | undefined
  readonly old: Game | undefined
  readonly draft?: Game
}

/** A call of a handler. */
export interface Call {
  readonly type: Plan['type']
  readonly call: string
  /** The version of the old object. */
  readonly version: string | undefined
}

/** Declares a webhook. Its handler writes each call down. */
export function declare(webhooks: Pick<Webhooks, 'webhook'>, plan: Plan, calls: Call[]): void {
  const { name, type, target, operations, updates, tier, namespaces, above, policy, reinvocation } = plan
  const view = games.within({
    ...(tier !== undefined && { labels: tier === 'paid' ? { tier } : 'tier!=paid' }),
    ...(namespaces !== undefined && { namespaces: [...namespaces] }),
  })
  const when =
    above === undefined ? undefined : `request.operation == 'DELETE' || object.?spec.?players.orValue(0) > ${above}`
  const named = webhooks.webhook(name)
  const builder =
    target === 'status'
      ? named.forStatus(view, { when })
      : named.for(view, { operations: [...operations] as ['CREATE'], updates, when })
  builder.timeoutSeconds(1)
  if (policy !== undefined) builder.failurePolicy(policy)
  const handler = (context: Called): unknown => {
    const { operation, object, old } = context
    if (context.name?.startsWith('probe-')) return undefined
    calls.push({ type, call: callOf(name, operation, object, old), version: old?.metadata?.resourceVersion })
    if (isActing(plan, object, old)) return act(plan, context)
    return undefined
  }
  if (type === 'validating') builder.validate(handler as never)
  else builder.reinvocation(reinvocation).mutate(handler as never)
}

function act({ name, act: { kind, ...rest }, target }: Plan, { deny, warn, draft }: Called): unknown {
  const change = (known: typeof changes): void => {
    if (draft !== undefined && 'change' in rest) known[rest.change]?.(draft, name)
  }
  switch (kind) {
    case 'nothing':
      return warn(`${name} was called`)
    case 'deny':
    case 'denyAndThrow':
      deny(`${name} says no`, { field: 'spec.players', code: 422 })
      deny('again')
      if (kind === 'denyAndThrow') throw new Error('after a denial')
      return undefined
    case 'throw':
      throw new Error('on purpose')
    case 'return':
      return 'a value'
    case 'hang':
      return new Promise(() => {})
    case 'change':
      return change(target === 'status' ? statusChanges : changes)
    case 'forbidden':
      return change(target === 'status' ? forbiddenForStatus : forbidden)
  }
}
