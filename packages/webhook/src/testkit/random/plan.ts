import { chance, choose, integer } from '@wherry/testing'
import type { FailurePolicy } from '../../declaration/definition.ts'
import type { Operation } from '../../handler/request.ts'
import { changes, forbidden, forbiddenForStatus, statusChanges } from './change.ts'

/** The namespaces that there are; the last two are spared unless a view names them. */
export const namespaceNames = ['alpha', 'beta', 'kube-system', 'arcade-system'] as const

/** What a handler does when it is called. */
export type Act =
  | { readonly kind: 'nothing' | 'deny' | 'throw' | 'hang' | 'return' | 'denyAndThrow' }
  | { readonly kind: 'change' | 'forbidden'; readonly change: string }

/** One webhook, as it is to be declared. */
export interface Plan {
  readonly name: string
  readonly type: 'validating' | 'mutating'
  readonly target: 'object' | 'status'
  readonly operations: readonly Operation[]
  readonly updates: 'changed' | 'all'
  /** The view's label selector; `undefined` for all objects. */
  readonly tier: 'paid' | '!paid' | undefined
  /** The view's namespaces; `undefined` for all. */
  readonly namespaces: readonly string[] | undefined
  /** Only objects with more players are reviewed; `undefined` for all. */
  readonly above: number | undefined
  /** `undefined`: what the operator's own group has by default, which is Fail. */
  readonly policy: FailurePolicy | undefined
  readonly reinvocation: 'Never' | 'IfNeeded'
  /** The handler acts only if the number of players is odd. */
  readonly isPicky: boolean
  readonly act: Act
}

/** A few webhooks of an operator. Their names are in no order. */
export function planned(random: () => number, hangs: boolean): Plan[] {
  const letters = 'qcxahm'
  return Array.from({ length: integer(random, 1, 6) }, (_, i) => plan(random, `${letters[i]}-hook`, hangs))
}

function plan(random: () => number, name: string, hangs: boolean): Plan {
  const type = chance(random, 0.65) ? 'mutating' : 'validating'
  const target = chance(random, 0.2) ? 'status' : 'object'
  const sets: readonly (readonly Operation[])[] = [['CREATE', 'UPDATE'], ['CREATE'], ['UPDATE']]
  const withDeletions: readonly (readonly Operation[])[] = [['CREATE', 'UPDATE', 'DELETE'], ['DELETE']]
  return {
    ...{ name, type, target },
    operations:
      target === 'status' ? ['UPDATE'] : choose(random, type === 'mutating' ? sets : [...sets, ...withDeletions]),
    updates: target === 'status' || chance(random, 0.3) ? 'all' : 'changed',
    tier: choose(random, [undefined, undefined, undefined, 'paid', '!paid'] as const),
    namespaces: choose(random, [
      undefined,
      undefined,
      undefined,
      ['alpha'],
      ['beta', 'kube-system'],
      ['arcade-system'],
    ]),
    above: chance(random, 0.25) ? integer(random, 0, 4) : undefined,
    policy: choose(random, [undefined, 'Fail', 'Ignore', 'Ignore'] as const),
    reinvocation: chance(random, 0.5) ? 'IfNeeded' : 'Never',
    isPicky: chance(random, 0.3),
    act: act(random, type, target, hangs),
  }
}

function act(random: () => number, type: Plan['type'], target: Plan['target'], hangs: boolean): Act {
  if (type === 'mutating' && chance(random, 0.75)) {
    const good = Object.keys(target === 'status' ? statusChanges : changes)
    return { kind: 'change', change: choose(random, good) }
  }
  if (type === 'mutating' && chance(random, 0.4))
    return {
      kind: 'forbidden',
      change: choose(random, Object.keys(target === 'status' ? forbiddenForStatus : forbidden)),
    }
  const kinds = [
    'nothing',
    'deny',
    'deny',
    'throw',
    'return',
    'denyAndThrow',
    ...(hangs ? (['hang'] as const) : []),
  ] as const
  return { kind: choose(random, kinds) }
}
