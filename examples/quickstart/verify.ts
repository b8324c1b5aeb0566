import { configMaps, events, secrets } from '@wherry/client/resources/core'
import type { Stage } from '../../tools/runner/stage.ts'
import { games } from './game.ts'

const namespace = 'arcade'
const chess = { namespace, name: 'chess' }
const settings = { namespace, name: 'chess-settings' }
const licence = { namespace, name: 'chess-licence' }

/** Plays the users of the operator. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const program = start()
  const checksum = async (): Promise<string | undefined> => (await client.get(configMaps, settings))?.data?.checksum
  const isAt = async (phase: string): Promise<boolean> => (await client.get(games, chess))?.status?.phase === phase

  await client.create(games, { metadata: chess, spec: { title: 'Chess', licenceSecret: licence.name } })
  await until('the game lacks its licence', () => isAt('NoLicence'))
  say('a game without its Secret says so')

  await client.create(secrets, { metadata: licence, stringData: { key: 'first' } })
  await until('the game is ready', () => isAt('Ready'))
  const first = await until('its ConfigMap is there', checksum)
  say('it is ready once the Secret is there, and has a ConfigMap')

  await client.patch(secrets, licence, { stringData: { key: 'second' } })
  await until('the checksum is another', async () => (await checksum()) !== first)
  say('the ConfigMap follows the Secret')

  await client.patch(configMaps, settings, { data: { title: 'by hand' } })
  const title = async (): Promise<string | undefined> => (await client.get(configMaps, settings))?.data?.title
  await until('the title is right again', async () => (await title()) === 'Chess')
  await client.delete(configMaps, settings)
  await until('the ConfigMap is there again', checksum)
  say('what was changed or deleted by hand is as it was')

  let change = 0
  await until('an event says that somebody else writes it', async () => {
    await client.patch(configMaps, settings, { data: { title: `by hand ${change++}` } })
    const { items } = await client.list(events.within({ namespaces: [namespace] }))
    return items.some(({ reason }) => reason === 'FieldFight')
  })
  say('an object that is changed again and again is reported by an event')

  await client.delete(secrets, licence)
  await until('the game lacks its licence again', () => isAt('NoLicence'))
  say('a Secret that goes is noticed')
  await rest(program)
}
