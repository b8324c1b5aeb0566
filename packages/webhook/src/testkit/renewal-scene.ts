import { once } from 'node:events'
import { connect } from 'node:tls'
import { Client } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { secrets } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { expect } from 'vitest'
import { admission, called, prepare } from './admissions.ts'
import { games } from './games.ts'
import { until } from './on-a-server.ts'
import { replica } from './own.ts'

/** How an attempt to connect ends, if it trusts only what a bundle has: `trusted`, or the error. */
async function handshake(port: number, caBundle: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca: Buffer.from(caBundle, 'base64').toString() })
  try {
    await once(socket, 'secureConnect')
    return 'trusted'
  } catch (error) {
    return `${error}`
  } finally {
    socket.destroy()
  }
}

/** Ten serving certificates and two new authorities while an API server asks for admissions all the time. */
export async function renewalsUnderLoad(server: ApiServer): Promise<void> {
  const { url, ca, token } = server
  const client = new Client({ url, ca, token })
  await prepare(client)
  const one = replica(server, { servingLifeMs: 4000, authorityLifeMs: 24_000 })
  one.webhooks
    .webhook('limits')
    .for(games)
    .validate(({ name, deny }) => {
      if (name === 'probe') deny('it is a probe')
    })
  one.run()
  const said = (part: string): number => one.log.filter(line => line.includes(part)).length
  try {
    await called(client)
    const refused = new Map<string, number>()
    const note = (outcome: string): void => void refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
    let admitted = 0
    let handshakes = 0
    let isOver = false
    const asks = async (): Promise<void> => {
      while (!isOver) {
        const outcome = await admission(client)
        if (outcome === 'admitted') admitted += 1
        else note(outcome)
      }
    }
    const connects = async (): Promise<void> => {
      while (!isOver) {
        const found = await client.get(validatingWebhookConfigurations, { name: 'arcade' })
        const outcome = await handshake(one.webhooks.port, found?.webhooks?.[0]?.clientConfig.caBundle ?? '')
        if (outcome === 'trusted') handshakes += 1
        else note(outcome)
      }
    }
    const load = [asks(), asks(), asks(), asks(), connects()]
    try {
      await until(() => {
        expect(said('the serving certificate of the webhooks was made')).toBeGreaterThan(10)
        // The pair, and one after each.
        expect(said('an authority of the webhooks was made')).toBeGreaterThanOrEqual(4)
      })
    } finally {
      isOver = true
      await Promise.all(load)
    }
    expect([[...refused], one.errors, one.warnings]).toEqual([[], [], []])
    expect(await admission(client, 'probe')).toContain('it is a probe')
    expect([admitted > 100, handshakes > 20]).toEqual([true, true])
  } finally {
    await client.delete(validatingWebhookConfigurations, { name: 'arcade' })
    await one.close()
    await client.delete(secrets, { namespace: 'default', name: 'arcade-webhook-authorities' })
    await client.close()
  }
}
