import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GivenCredentials } from './given.ts'
import { StillClock } from './testkit/clock.ts'
import { type Files, files } from './testkit/files.ts'

let at: Files
let clock: StillClock

beforeEach(async () => {
  at = await files()
  clock = new StillClock()
})
afterEach(() => at.remove())

describe('a credential that is given as text', () => {
  it('is there at once, and no refresh changes it', async () => {
    const credentials = new GivenCredentials({ token: { data: ' abc\n' }, ca: { data: 'CA' } }, clock)
    expect(credentials.headers()).toEqual({ authorization: 'Bearer abc' })
    expect(credentials.tls()).toEqual({ ca: 'CA' })
    expect(await credentials.refresh()).toBe(false)
  })

  it('a login is sent as Basic, unless there is a token', () => {
    const login = { username: 'me', password: 'pä:ss' }
    const basic = `Basic ${Buffer.from('me:pä:ss').toString('base64')}`
    expect(new GivenCredentials({ login }, clock).headers()).toEqual({ authorization: basic })
    expect(new GivenCredentials({ login, token: { data: 't' } }, clock).headers()).toEqual({
      authorization: 'Bearer t',
    })
    expect(new GivenCredentials({}, clock).headers()).toEqual({})
  })

  it('different material has different digests, that do not show it', () => {
    const digest = (ca: string, cert?: string): string =>
      new GivenCredentials({ ca: { data: ca }, ...(cert && { cert: { data: cert } }) }, clock).digest()
    expect(digest('A', 'B')).toBe(digest('A', 'B'))
    expect(new Set([digest('A', 'B'), digest('AB'), digest('A'), digest('B', 'A')]).size).toBe(4)
    expect(digest('SECRET')).not.toContain('SECRET')
    expect(new GivenCredentials({}, clock).digest()).toBe('')
  })
})

describe('files', () => {
  it('X7: a token file is read again after 60 s, not before', async () => {
    const file = await at.write('token', 'one\n')
    const credentials = new GivenCredentials({ token: { file } }, clock)
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' })
    await at.write('token', 'two')
    clock.advance(59_999)
    expect(credentials.headers()).toEqual({ authorization: 'Bearer one' })
    clock.advance(1)
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer two' })
  })

  it('X7: refresh() says that a token changed, though a connection has read it meanwhile', async () => {
    const file = await at.write('token', 'one')
    const credentials = new GivenCredentials({ token: { file } }, clock)
    await credentials.headers()
    await at.write('token', 'two')
    await credentials.tls()
    expect(await credentials.refresh()).toBe(true)
    expect(await credentials.refresh()).toBe(true)
    expect(credentials.headers()).toEqual({ authorization: 'Bearer two' })
    expect(await credentials.refresh()).toBe(false)
  })

  it('X7: refresh() reads it at once and says whether it changed', async () => {
    const file = await at.write('token', 'one')
    const credentials = new GivenCredentials({ token: { file } }, clock)
    await credentials.headers()
    expect(await credentials.refresh()).toBe(false)
    await at.write('token', 'two')
    expect(await credentials.refresh()).toBe(true)
    expect(credentials.headers()).toEqual({ authorization: 'Bearer two' })
  })

  it('X7: a new certificate is used by the next connection, and changes the digest', async () => {
    const cert = { file: await at.write('cert', 'CERT 1') }
    const key = { file: await at.write('key', 'KEY 1') }
    const credentials = new GivenCredentials({ cert, key }, clock)
    expect(await credentials.tls()).toEqual({ cert: 'CERT 1', key: 'KEY 1' })
    const digest = credentials.digest()
    await at.write('cert', 'CERT 2')
    await at.write('key', 'KEY 2')
    expect(await credentials.tls()).toEqual({ cert: 'CERT 2', key: 'KEY 2' })
    expect(credentials.digest()).not.toBe(digest)
  })

  it('X7: the digest follows a file with the requests, without a new connection', async () => {
    const cert = { file: await at.write('cert', 'CERT 1') }
    const credentials = new GivenCredentials({ cert, key: { data: 'KEY' } }, clock)
    await credentials.headers()
    const digest = credentials.digest()
    await at.write('cert', 'CERT 2')
    clock.advance(60_000)
    await credentials.headers()
    expect(credentials.digest()).not.toBe(digest)
  })

  it('several requests at once read once', async () => {
    const file = await at.write('token', 'one')
    const credentials = new GivenCredentials({ token: { file } }, clock)
    const both = [credentials.headers(), credentials.headers()]
    expect(await Promise.all(both)).toEqual(Array(2).fill({ authorization: 'Bearer one' }))
    expect((await both[0]) === (await both[1])).toBe(true)
  })

  it('one that is gone leaves what it had; a refresh says so', async () => {
    const file = await at.write('token', 'one')
    const credentials = new GivenCredentials({ token: { file } }, clock)
    await credentials.headers()
    await rm(file)
    clock.advance(60_000)
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' })
    await expect(credentials.refresh()).rejects.toMatchObject({ code: 'CREDENTIALS_UNREADABLE' })
  })

  it('X3: one with what no header takes leaves what it had; at first it is an error that names it', async () => {
    const file = await at.write('token', 'SECRET\nSECRET')
    const reading = new GivenCredentials({ token: { file } }, clock).headers() as Promise<unknown>
    const bad = await reading.catch((error: unknown) => error)
    expect(bad).toMatchObject({ code: 'CREDENTIALS_UNREADABLE', message: expect.stringContaining(file) })
    expect(`${bad}`).not.toContain('SECRET')
    await at.write('token', 'one')
    const credentials = new GivenCredentials({ token: { file } }, clock)
    await credentials.headers()
    await at.write('token', 'tw\u0113')
    clock.advance(60_000)
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' })
  })

  it('one that was never there, or is empty, is an error that names it', async () => {
    const missing = new GivenCredentials({ token: { file: `${at.directory}/nope` } }, clock)
    await expect(missing.headers()).rejects.toMatchObject({
      code: 'CREDENTIALS_UNREADABLE',
      message: expect.stringContaining('nope'),
      cause: expect.objectContaining({ code: 'ENOENT' }),
    })
    const empty = new GivenCredentials({ token: { file: await at.write('empty', ' \n') } }, clock)
    await expect(empty.headers()).rejects.toMatchObject({ code: 'CREDENTIALS_UNREADABLE' })
  })

  it('one that is too long in bytes, and not in characters, is an error', async () => {
    const file = await at.write('long', '\u00e9'.repeat(600 * 1024))
    const long = new GivenCredentials({ ca: { file } }, clock)
    await expect(long.headers()).rejects.toMatchObject({ message: `${file} is longer than 1 MiB` })
  })

  it.runIf(existsSync('/dev/zero'))('one without an end is an error', async () => {
    const endless = new GivenCredentials({ token: { file: '/dev/zero' } }, clock)
    await expect(endless.headers()).rejects.toMatchObject({ message: '/dev/zero is longer than 1 MiB' })
  })
})
