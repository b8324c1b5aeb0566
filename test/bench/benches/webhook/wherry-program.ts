/** An operator of ours with one webhook: it refuses a Widget with more fields than the quota allows. */
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { Webhooks } from '@wherry/webhook'
import { widgets } from '../../server/widgets.ts'

const { BENCH_URL: url = '', BENCH_CA: ca = '', BENCH_TOKEN: token = '', BENCH_CERTS: folder = '' } = process.env
const view = process.env.BENCH_VIEW === 'full' ? configMaps.full() : configMaps
const operator = new Operator({ name: 'bench', client: new Client({ access: fromUrl(url, { ca, token }) }) })
const webhooks = new Webhooks(operator, {
  service: { namespace: 'bench-system', name: 'bench' },
  groups: [widgets.resource.group],
  configurations: 'manifest',
  certificates: { files: { cert: `${folder}/tls.crt`, key: `${folder}/tls.key` } },
  host: '127.0.0.1',
  port: Number(process.env.BENCH_PORT),
})
webhooks
  .webhook('quota')
  .for(widgets, { operations: ['CREATE'] })
  .reads(view)
  .validate(async ({ object, read, deny }) => {
    const quota = await read.get(view, { namespace: 'default', name: 'quota' })
    const most = Number(quota?.data?.fields)
    if (!(Object.keys(object.spec?.data ?? {}).length <= most)) deny(`at most ${most} fields`)
  })
await operator.run()
