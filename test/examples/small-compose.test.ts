import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'
import { blocksOf } from '../docs/markdown.ts'
import { onStage } from './small-program.ts'

const namespace = 'default'
const made = { namespace, name: 'a-made' }

it('makes what a source and its Secret say, and keeps it so', () =>
  onStage(async ({ client, server, start }) => {
    const secret = (name: string, stringData: Record<string, string>) =>
      client.create(secrets, { metadata: { namespace, name }, stringData })
    const keysMade = async () => (await client.get(configMaps, made))?.data?.keys
    await secret('other', { none: 'x' })
    const metadata = { namespace, name: 'a', labels: { 'example.com/role': 'source' } }
    await client.create(configMaps, { metadata, data: { secret: 'chess-key' } })
    const program = start('compose/compose.ts')
    await program.next('synced: 2 watches')
    await program.next('default/a: waits for the Secret chess-key')

    await secret('chess-key', { white: 'x', black: 'y' })
    await program.next('default/a: missing, black white')
    expect(await keysMade()).toBe('black white')

    await client.patch(secrets, { namespace, name: 'chess-key' }, { data: { black: null } })
    await program.next('default/a: differs, white')
    expect(await keysMade()).toBe('white')

    await client.patch(configMaps, made, { data: { keys: 'by hand' } })
    await program.next('default/a: differs, white')
    expect(await keysMade()).toBe('white')

    // The cache selects by the label, so it shows the object no more.
    await client.patch(configMaps, made, { metadata: { labels: { 'example.com/role': null } } })
    await program.next('default/a: differs, white')
    expect((await client.get(configMaps, made))?.metadata?.labels).toEqual({ 'example.com/role': 'made' })

    await client.delete(configMaps, made)
    await program.next('default/a: missing, white')
    expect(await keysMade()).toBe('white')

    await secret('go-key', { stone: 'x' })
    await client.patch(configMaps, { namespace, name: 'a' }, { data: { secret: 'go-key' } })
    await program.next('default/a: differs, stone')

    await client.delete(configMaps, { namespace, name: 'a' })
    await program.next('default/a: nothing to make')
    // It has asked for the two Secrets that a source named, each by one watch, and for no others.
    const { byVerb } = await server.stats()
    expect(byVerb.list?.secrets).toBeUndefined()
    expect(byVerb.watch?.secrets?.requests).toBe(2)
    await program.stop()
  }))

it('does not overwrite an object of that name that is not its own', () =>
  onStage(async ({ client, start }) => {
    await client.create(configMaps, { metadata: made, data: { keys: 'of somebody else' } })
    await client.create(secrets, { metadata: { namespace, name: 'key' }, stringData: { white: 'x' } })
    const labels = { 'example.com/role': 'source' }
    const program = start('compose/compose.ts')
    await program.next('synced: 2 watches')
    await client.create(configMaps, { metadata: { namespace, name: 'a', labels }, data: { secret: 'key' } })
    await program.complaint(/^default\/a: .*already exists/)
    expect((await client.get(configMaps, made))?.data).toEqual({ keys: 'of somebody else' })
    await client.delete(configMaps, made)
    await program.next('default/a: missing, white')
    await program.stop()
  }))

it('is shown whole by docs/compose.md, block by block', () => {
  const text = readFileSync(join(root, 'docs/compose.md'), 'utf8')
  const shown = blocksOf({ path: 'docs/compose.md', text }).map(({ code }) => code)
  const file = readFileSync(join(root, 'examples/compose/compose.ts'), 'utf8')
  const header = ' */\n'
  expect(shown.join('\n')).toBe(file.slice(file.indexOf(header) + header.length))
})
