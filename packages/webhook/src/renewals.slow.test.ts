import { startApiServer } from '@wherry/testing'
import { it } from 'vitest'
import { renewalsUnderLoad } from './testkit/renewal-scene.ts'

it('B3: ten renewals under load, both authorities included, refuse no admission', async () => {
  const server = await startApiServer()
  try {
    await renewalsUnderLoad(server)
  } finally {
    await server.close()
  }
}, 180_000)
