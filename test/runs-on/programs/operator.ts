/** An operator that does what one does in a cluster, for `serve.ts`. It prints a line for each thing that has gone as it should. */
import { Client, ConnectionError } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'

const { OTHER_URL: url = '', TOKEN: token = '', CA: ca = '', CERTIFICATE: cert = '', KEY: key = '' } = process.env

// The server at this address has a certificate of another authority.
for (const access of [
  { url, token, ca },
  { url, token },
]) {
  const client = new Client({ ...access, maxRetries: 0 })
  const refusal = await client.list(configMaps).catch((error: unknown) => error)
  const isRefused = refusal instanceof ConnectionError && refusal.code === 'CONNECT_FAILED'
  if (!isRefused) throw new Error('a server of another authority is not refused', { cause: refusal })
  await client.close()
}
console.log('refused another authority')

const withCertificate = new Client({ url: process.env.URL ?? '', ca, cert, key })
await withCertificate.list(configMaps)
await withCertificate.close()
console.log('listed with a client certificate')

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const options = { name: 'runs-on', leader: true, metrics: true, health: { port: 0 }, log: silent }
const operator = await Operator.connect(options)
const ours = configMaps.within({ labels: { by: 'runs-on' } })
operator
  .controller('copy')
  .for(configMaps.within({ labels: { copied: 'yes' } }))
  .owns(ours)
  .reconcile(async ({ key, object, read, apply }) => {
    const secret = await read.get(secrets, { name: 'narrow' })
    const data = { ...object.data, secret: secret?.data?.x ?? 'none' }
    const { outcome } = await apply(ours, { metadata: { name: `${key.name}-copy` }, data })
    if (outcome !== 'unchanged') console.log(`copied ${key.name} with ${data.secret}`)
  })
await operator.run()
console.log('ended in order')
