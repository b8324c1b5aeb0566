import { isDeepStrictEqual } from 'node:util'
import { isAlreadyExists, isNotFound } from '@wherry/client'
import { type Operator, setCondition } from '@wherry/controller'
import { conditionsOf, stateOf } from './install/aggregate.ts'
import { type Platform, platformName, platforms } from './platform.ts'
import { type PlatformCondition, platformOperators } from './platform-operator.ts'

const mostOperators = 500

/** Says in one object how all PlatformOperators are. It is made if it is not there, and written only if it changes. */
export function declarePlatform(operator: Operator): void {
  operator
    .controller('platform')
    .singleton()
    .watches(platformOperators)
    .debounce({ debounceMs: 100, maxWaitMs: 1000 })
    .watches(platforms)
    .reconcile(async ({ read, client, now, signal }) => {
      const found = await read.get(platforms, { name: platformName })
      if (found === undefined) {
        try {
          await client.create(platforms, { metadata: { name: platformName } }, { signal })
        } catch (error) {
          if (!isAlreadyExists(error)) throw error
        }
        return // It runs again when the object comes.
      }
      const states = (await read.list(platformOperators)).map(stateOf).sort((a, b) => (a.name < b.name ? -1 : 1))
      let conditions: readonly PlatformCondition[] = found.status?.conditions ?? []
      for (const one of conditionsOf(states)) conditions = setCondition(conditions, one, now().getTime())
      const status = { conditions, total: states.length, operators: states.slice(0, mostOperators) }
      if (isDeepStrictEqual(status, found.status)) return
      try {
        await client.status.patch(platforms, { name: platformName }, { status } as Platform, { signal })
      } catch (error) {
        if (!isNotFound(error)) throw error // It has gone meanwhile.
      }
    })
}
