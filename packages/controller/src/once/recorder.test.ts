import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import type { ReconcileContext } from '../controller/context.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { OnceRecorder } from './recorder.ts'

it('runs one key, and that once', async () => {
  const ran: string[] = []
  const definition = {
    name: 'x',
    for: configMaps,
    reconcile: ({ key }) => void ran.push(key.name),
  } as ControllerDefinition<unknown>
  const reconcile = new OnceRecorder().reconcileOf(definition, 'default/a')
  for (const name of ['b', 'a', 'a'])
    await reconcile({ key: { namespace: 'default', name } } as ReconcileContext<unknown>)
  expect(ran).toEqual(['a'])
})
