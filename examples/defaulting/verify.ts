import { isApiError } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import type { Stage } from '../../tools/runner/stage.ts'
import { authorLabel } from './author.ts'
import { linesAnnotation } from './conversion.ts'
import { type Notice, type NoticeV1beta1, notices, noticesV1beta1 } from './notice.ts'
import { urgentLabel } from './policy.ts'
import { quotaName } from './quota.ts'

const namespace = 'team-a'
const calm = 'team-b'
const authorities = { namespace: 'notice-system', name: 'defaulting-webhook-authorities' }
const quota = { namespace: 'notice-system', name: quotaName }

/** Plays users of both versions. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const notice = (name: string, spec: Notice['spec'], of = namespace) => ({ metadata: { namespace: of, name }, spec })
  const old = (name: string, spec: NoticeV1beta1['spec']) => ({ metadata: { namespace, name }, spec })
  /** What the API server says of a write: `taken`, or why not. */
  const said = (write: Promise<unknown>): Promise<string> =>
    write.then(
      () => 'taken',
      error => (isApiError(error) ? error.message : Promise.reject(error)),
    )
  const tried = (object: ReturnType<typeof notice>): Promise<string> =>
    said(client.create(notices, object, { dryRun: true }))
  const expect = async (what: string, answer: Promise<string>): Promise<void> => {
    const answered = await answer
    if (!answered.includes(what)) throw new Error(`expected ${what}, got: ${answered}`)
  }

  await client.create(namespaces, { metadata: { name: namespace, labels: { [urgentLabel]: 'allowed' } } })
  await client.create(namespaces, { metadata: { name: calm } })

  await until('a rule refuses', async () => (await tried(notice('blank', { text: { body: ' ' } }))).includes('blanks'))
  say('a blank text is refused by the definition, before the program runs')
  const urgent = { text: { body: 'Fire' }, urgent: true }
  await until('the policy refuses', async () => (await tried(notice('fire', urgent, calm))).includes(urgentLabel))
  await expect('taken', tried(notice('fire', urgent)))
  say('an urgent notice is refused by a policy where the namespace does not allow it')

  const program = start()
  const key = { namespace, name: 'hello' }
  const isConfigured = async (): Promise<boolean> => {
    const found = await client.get(validatingWebhookConfigurations, { name: 'defaulting' })
    return found?.webhooks?.every(({ clientConfig }) => clientConfig.caBundle !== undefined) ?? false
  }
  await until('the webhooks have their bundles', isConfigured)
  await until('a user is asked for', async () => {
    const made = await client.create(notices, notice('x', { text: { body: 'x' } }), { dryRun: true }).catch(() => false)
    return typeof made === 'object' && made.metadata.labels?.[authorLabel] !== undefined
  })
  await until(
    'v1beta1 is converted',
    async () => (await said(client.create(noticesV1beta1, old(key.name, { message: 'Hello\nall' })))) === 'taken',
  )
  const first = await client.get(notices, key)
  if (first?.spec.text.body !== 'Hello\nall') throw new Error(`not converted: ${JSON.stringify(first)}`)
  say('what is written at v1beta1 is read at v1')

  const author = first.metadata.labels?.[authorLabel]
  if (!author) throw new Error(`no author: ${JSON.stringify(first)}`)
  await client.patch(notices, key, { metadata: { labels: { [authorLabel]: 'somebody-else' } } })
  const kept = (await client.get(notices, key))?.metadata.labels?.[authorLabel]
  if (kept !== author) throw new Error(`the author is now ${kept}`)
  say('a notice is labelled with its author, and nobody can change that')

  const isShown = async (lines: number): Promise<boolean> =>
    (await client.get(noticesV1beta1, key))?.status?.lines === lines
  await until('both lines are shown', () => isShown(2))
  await client.patch(notices, key, { spec: { text: { lines: 1 } } })
  await until('one line is shown', () => isShown(1))
  await client.patch(noticesV1beta1, key, { spec: { message: 'Good\nmorning' } })
  const both = await client.get(notices, key)
  const annotated = (await client.get(noticesV1beta1, key))?.metadata.annotations?.[linesAnnotation]
  if (both?.spec.text.lines !== 1 || annotated !== '1') throw new Error(`lines are lost: ${JSON.stringify(both)}`)
  if (both.metadata.annotations?.[linesAnnotation] !== undefined) throw new Error('v1 has the annotation of v1beta1')
  say('a user of v1beta1 keeps what only v1 has a field for')

  await client.create(configMaps, { metadata: quota, data: { [namespace]: '2' } })
  await expect('taken', said(client.create(notices, notice('second', { text: { body: 'Second' } }))))
  await until('the third is refused', async () =>
    (await tried(notice('third', { text: { body: 'Third' } }))).includes('the quota of team-a is 2 notices'),
  )
  await expect('taken', tried(notice('first', { text: { body: 'First' } }, calm)))
  await client.patch(configMaps, quota, { data: { [namespace]: '3' } })
  await until('the third is taken', async () => (await tried(notice('third', { text: { body: 'Third' } }))) === 'taken')
  say('a notice beyond the quota is refused by a webhook that reads the cache, as the quota is now')

  const keys = async (): Promise<number> => Object.keys((await client.get(secrets, authorities))?.data ?? {}).length
  const count = await keys()
  await client.patch(secrets, authorities, { data: null })
  await until('the Secret is whole again', async () => (await keys()) === count)
  await until(
    'the webhooks are asked',
    async () => (await said(client.create(notices, notice('third', { text: { body: 'Third' } })))) === 'taken',
  )
  await until('the fourth is refused', async () =>
    (await tried(notice('fourth', { text: { body: 'Fourth' } }))).includes('the quota of team-a is 3 notices'),
  )
  say('a Secret that somebody empties is mended, and requests are answered as before')

  await rest(program)
}
