import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ExecCredentials, type ExecPlugin } from './exec.ts'
import { GivenCredentials } from './given.ts'
import { StillClock } from './testkit/clock.ts'
import { type Files, files } from './testkit/files.ts'

let at: Files
let clock: StillClock
const closers: (() => void)[] = []
const v1 = 'client.authentication.k8s.io/v1'

beforeEach(async () => {
  at = await files()
  clock = new StillClock()
})
afterEach(async () => {
  for (const close of closers.splice(0)) close()
  await at.remove()
})

/** A plugin that counts its runs, keeps what it was given, and does `body`. */
async function plugin(body: string, more: Partial<ExecPlugin> = {}): Promise<ExecPlugin> {
  const script = await at.write(
    'plugin.cjs',
    `const fs = require('node:fs'), dir = ${JSON.stringify(at.directory)}
     fs.appendFileSync(dir + '/runs', 'x')
     fs.writeFileSync(dir + '/env', JSON.stringify(process.env))
     const run = fs.readFileSync(dir + '/runs', 'utf8').length
     const print = (status, more) => console.log(JSON.stringify({ apiVersion: '${more.apiVersion ?? v1}', kind: 'ExecCredential', status, ...more }))
     ${body}`,
  )
  return { apiVersion: v1, command: process.execPath, args: [script, 'argument'], ...more }
}

async function runs(): Promise<number> {
  return (await readFile(`${at.directory}/runs`, 'utf8').catch(() => '')).length
}

function credentials(of: ExecPlugin): ExecCredentials {
  return new ExecCredentials(of, new GivenCredentials({ ca: { data: 'CA' } }, clock), clock)
}

function fireAll(): void {
  for (const fire of clock.timers) fire()
}

interface Started {
  /** What a plugin does to start the program. */
  spawn(options: string): string
  /** Resolves when it runs, to what waits until it has ended. */
  readonly gone: Promise<() => Promise<unknown>>
  /** Ends it. */
  end(): void
}

/** A program that a plugin starts. It does `body`, holds the plugin's output open, and ends with its connection to the test. */
async function child(body = ''): Promise<Started> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connected = once(server, 'connection').then(([socket]) => socket as Socket)
  let socket: Socket | undefined
  closers.push(() => {
    server.close()
    socket?.destroy()
  })
  const script = `require('node:net').connect(${port}, '127.0.0.1', () => { ${body} }).on('close', () => process.exit()).resume()`
  return {
    spawn: options =>
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(script)}], { stdio: 'inherit', ${options} })`,
    gone: connected.then(accepted => {
      socket = accepted
      accepted.on('error', () => {})
      const closed = once(accepted.resume(), 'close')
      return () => closed
    }),
    end: () => socket?.destroy(),
  }
}

describe('a plugin', () => {
  it('X7: is run once however many ask, and its token is kept until it expires', async () => {
    const expires = new Date(clock.now() + 60_000).toISOString()
    const one = credentials(await plugin(`print({ token: 'token-' + run, expirationTimestamp: '${expires}' })`))
    const all = await Promise.all([one.headers(), one.headers(), one.tls(), one.headers()])
    expect(all[0]).toEqual({ authorization: 'Bearer token-1' })
    expect(await runs()).toBe(1)
    clock.advance(59_999)
    expect(one.headers()).toEqual({ authorization: 'Bearer token-1' })
    clock.advance(1)
    expect(await one.headers()).toEqual({ authorization: 'Bearer token-2' })
    expect(await runs()).toBe(2)
  })

  it('X7: what it has just printed serves for ten seconds, though it has expired by our clock', async () => {
    const expired = new Date(clock.now() - 60_000).toISOString()
    const one = credentials(await plugin(`print({ token: 'token-' + run, expirationTimestamp: '${expired}' })`))
    for (let i = 0; i < 5; i++) expect(await one.headers()).toEqual({ authorization: 'Bearer token-1' })
    expect(await runs()).toBe(1)
    clock.advance(10_000)
    expect(await one.headers()).toEqual({ authorization: 'Bearer token-2' })
    expect(await runs()).toBe(2)
  })

  it('X7: null is absent, as Go reads it', async () => {
    const nulls = 'expirationTimestamp: null, clientCertificateData: null, clientKeyData: null'
    const one = credentials(await plugin(`print({ token: 'a', ${nulls} })`))
    expect([await one.headers(), await one.tls()]).toMatchObject([{ authorization: 'Bearer a' }, {}])
    clock.advance(1e9)
    expect(one.headers()).toEqual({ authorization: 'Bearer a' })
    const none = credentials(await plugin(`print({ token: null, ${nulls} })`))
    await expect(none.headers()).rejects.toMatchObject({ code: 'EXEC_FAILED' })
  })

  it('X7: refresh() runs it once however many ask, and says whether anything changed', async () => {
    const one = credentials(await plugin(`print({ token: run === 1 ? 'old' : 'new' })`))
    await one.headers()
    expect(await Promise.all([one.refresh(), one.refresh(), one.refresh()])).toEqual([true, true, true])
    expect(await runs()).toBe(2)
    expect(one.headers()).toEqual({ authorization: 'Bearer new' })
    clock.advance(10_000)
    expect(await one.refresh()).toBe(false)
    expect(await runs()).toBe(3)
  })

  it('is not run for each 401 of a server that refuses all that it prints', async () => {
    const one = credentials(await plugin(`print({ token: 'token-' + run })`))
    await one.headers()
    expect(await one.refresh()).toBe(true)
    clock.advance(9_999)
    expect(await one.refresh()).toBe(false)
    expect(one.headers()).toEqual({ authorization: 'Bearer token-2' })
    expect(await runs()).toBe(2)
    clock.advance(1)
    expect(await one.refresh()).toBe(true)
    expect(await runs()).toBe(3)
  })

  it('X8: that is under way is ended by close(), and may be run again', async () => {
    const one = credentials(await plugin(`if (run > 1) print({ token: 't' }); else setInterval(() => {}, 1000)`))
    one.close()
    const headers = one.headers() as Promise<unknown>
    headers.catch(() => {})
    await vi.waitFor(async () => expect(await runs()).toBe(1))
    one.close()
    await expect(headers).rejects.toMatchObject({ code: 'EXEC_FAILED', message: expect.stringContaining('closed') })
    expect(await one.headers()).toEqual({ authorization: 'Bearer t' })
  })

  it('X7: may give a client certificate, and a new one changes the digest', async () => {
    const authority = createCertificateAuthority()
    const issued = ['alice', 'bob'].map(commonName => authority.issueClient({ commonName }))
    const printed = issued.map(({ certPem, keyPem }) => ({ clientCertificateData: certPem, clientKeyData: keyPem }))
    const one = credentials(await plugin(`print(${JSON.stringify(printed)}[run - 1])`))
    expect(await one.headers()).toEqual({})
    expect(await one.tls()).toEqual({ ca: 'CA', cert: issued[0]?.certPem, key: issued[0]?.keyPem })
    const digest = one.digest()
    expect(await one.refresh()).toBe(true)
    expect(one.digest()).not.toBe(digest)
    expect(one.digest()).not.toContain('KEY')
  })

  it('X9: a client certificate that is none, or that is of another key, is an error, and the plugin runs again for the next call', async () => {
    const authority = createCertificateAuthority()
    const [alice, bob] = ['alice', 'bob'].map(commonName => authority.issueClient({ commonName }))
    const printed = [
      { clientCertificateData: 'SECRET CERT', clientKeyData: 'SECRET KEY' },
      { clientCertificateData: alice?.certPem, clientKeyData: bob?.keyPem },
      { clientCertificateData: bob?.certPem, clientKeyData: bob?.keyPem },
    ]
    const one = credentials(await plugin(`print(${JSON.stringify(printed)}[run - 1])`))
    for (const why of ['no start line', 'key values mismatch']) {
      const error = await Promise.resolve(one.tls()).catch((error: unknown) => error)
      expect(error).toMatchObject({ code: 'EXEC_FAILED', message: expect.stringContaining(why) })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/SECRET|BEGIN/)
    }
    expect(await one.tls()).toEqual({ ca: 'CA', cert: bob?.certPem, key: bob?.keyPem })
  })

  it('X9: a command that no system takes is an error, which does not quote it', async () => {
    const plugin = { apiVersion: v1, command: 'x', args: ['SECRET\0'], env: [] }
    const error = await Promise.resolve(credentials(plugin).headers()).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'EXEC_FAILED' })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('SECRET')
  })

  it('gets its environment, that no user can be asked, and the cluster if it wants that', async () => {
    vi.stubEnv('WHERRY_PARENT', 'parent')
    const cluster = { server: 'https://x', 'certificate-authority-data': 'Q0E=' }
    const env = [{ name: 'OWN', value: 'own' }]
    await credentials(await plugin(`print({ token: 't' })`, { env, cluster })).headers()
    const reported = JSON.parse(await readFile(`${at.directory}/env`, 'utf8'))
    expect([reported.OWN, reported.WHERRY_PARENT]).toEqual(['own', 'parent'])
    expect(JSON.parse(reported.KUBERNETES_EXEC_INFO)).toEqual({
      apiVersion: v1,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster },
    })
    vi.unstubAllEnvs()
  })

  it('of v1beta1 is known, of v1alpha1 not', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1'
    const one = credentials(await plugin(`print({ token: 't' })`, { apiVersion }))
    expect(await one.headers()).toEqual({ authorization: 'Bearer t' })
    const old = await plugin('', { apiVersion: 'client.authentication.k8s.io/v1alpha1' })
    expect(() => credentials(old)).toThrow(expect.objectContaining({ code: 'KUBECONFIG_INVALID' }))
  })

  it('that fails once is run again by the next call', async () => {
    const one = credentials(await plugin(`if (run === 1) process.exit(3); print({ token: 't' })`))
    await expect(one.headers()).rejects.toMatchObject({ code: 'EXEC_FAILED', message: expect.stringContaining('3') })
    expect(await one.headers()).toEqual({ authorization: 'Bearer t' })
  })

  it('that is not there is an error with its install hint', async () => {
    const one = credentials({ apiVersion: v1, command: `${at.directory}/nope`, installHint: 'install it' })
    await expect(one.headers()).rejects.toMatchObject({ message: expect.stringContaining('install it') })
  })

  it('X8: that does not end is killed', async () => {
    const one = credentials(await plugin('setInterval(() => {}, 1000)'))
    const headers = one.headers() as Promise<unknown>
    headers.catch(() => {})
    await vi.waitFor(async () => expect(await runs()).toBe(1))
    for (const fire of clock.timers) fire()
    await expect(headers).rejects.toMatchObject({ code: 'EXEC_FAILED', message: expect.stringContaining('60 s') })
  })

  it.each([
    ['is late', '60 s', () => fireAll()],
    ['is closed', 'closed', (one: ExecCredentials) => one.close()],
  ])('X8: that %s ends with the programs that it has started', async (_, says, finish) => {
    const started = await child()
    const one = credentials(await plugin(`${started.spawn('')}; setInterval(() => {}, 1000)`))
    const headers = one.headers() as Promise<unknown>
    headers.catch(() => {})
    const gone = await started.gone
    finish(one)
    await expect(headers).rejects.toMatchObject({ code: 'EXEC_FAILED', message: expect.stringContaining(says) })
    await gone()
  })

  it('X8: that prints too much ends with the programs that it has started', async () => {
    const started = await child(`process.stdout.write('x'.repeat(2e6))`)
    const one = credentials(await plugin(`${started.spawn('')}; setInterval(() => {}, 1000)`))
    const headers = one.headers() as Promise<unknown>
    await expect(headers).rejects.toMatchObject({ message: expect.stringContaining('more than') })
    await (await started.gone)()
  })

  it('X8: that does not end is not waited for, though a program that has left it holds its output open', async () => {
    const started = await child()
    const one = credentials(await plugin(`${started.spawn('detached: true')}; setInterval(() => {}, 1000)`))
    const headers = one.headers() as Promise<unknown>
    headers.catch(() => {})
    await started.gone
    fireAll()
    await expect(headers).rejects.toMatchObject({ code: 'EXEC_FAILED', message: expect.stringContaining('60 s') })
    started.end()
  })

  it.each([
    ['no JSON', `console.log('SECRET is no JSON')`],
    ['another kind', `print({ token: 'SECRET' }, { kind: 'Other' })`],
    ['another version', `print({ token: 'SECRET' }, { apiVersion: 'client.authentication.k8s.io/v1beta1' })`],
    ['no status', `console.log(JSON.stringify({ apiVersion: '${v1}', kind: 'ExecCredential', token: 'SECRET' }))`],
    ['null', `console.log('null')`],
    ['a status without anything', `print({ other: 'SECRET' })`],
    ['a certificate without its key', `print({ clientCertificateData: 'SECRET' })`],
    ['a key without its certificate', `print({ token: 't', clientKeyData: 'SECRET' })`],
    ['a token that is no string', `print({ token: { secret: 'SECRET' } })`],
    ['a token of two lines', `print({ token: 'SECRET\\nSECRET' })`],
    ['a time that is none', `print({ token: 'SECRET', expirationTimestamp: 'later' })`],
    ['an exit code', `print({ token: 'SECRET' }); console.error('SECRET'); process.exitCode = 1`],
    ['too much', `console.log('SECRET'.repeat(1e6))`],
  ])('X3: that prints %s is an error without what it printed', async (_, body) => {
    const error = await (credentials(await plugin(body)).headers() as Promise<unknown>).catch(error => error)
    expect(error).toMatchObject({ code: 'EXEC_FAILED' })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('SECRET')
  })

  it('X3: that can not be run is an error without its arguments and its environment', async () => {
    for (const more of [
      { args: ['SECRET\0'] },
      { env: [{ name: 'A', value: 'SECRET\0' }] },
      { env: [{ name: 'SECRET\0', value: '' }] },
    ]) {
      const broken = { apiVersion: v1, command: process.execPath, ...more }
      const error = await (credentials(broken).headers() as Promise<unknown>).catch(error => error)
      expect(error).toMatchObject({ code: 'EXEC_FAILED' })
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('SECRET')
    }
  })
})
