/** The audited operator on Wherry: it reads the Secret by name. */
import { createHash } from 'node:crypto'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { mirrors } from './mirror.ts'

const ours = configMaps.within({ labels: { 'app.kubernetes.io/managed-by': 'mirror' } })
const operator = await Operator.connect({ name: 'mirror' })
operator
  .controller('mirror')
  .for(mirrors)
  .owns(ours)
  .reconcile(async ({ object: { spec }, key, read, apply }) => {
    const secret = await read.get(secrets, { name: spec.secret })
    if (secret === undefined) return
    const digest = createHash('sha256')
      .update(secret.data?.key ?? '', 'base64')
      .digest('hex')
    await apply(ours, { metadata: { name: `${key.name}-mirror` }, data: { digest } })
    console.log(`mirrored ${key.name} ${spec.note}`)
  })
await operator.run()
