import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClientTarget, type Clock, fromKubeconfigFile } from '@wherry/client'
import type { Authority, Identity } from './certificates.ts'
import type { Draw } from './draw.ts'

export const accessKinds = ['token', 'tokenFile', 'kubeconfig', 'exec', 'certificate'] as const
export type AccessKind = (typeof accessKinds)[number]

interface Parts {
  readonly kind: AccessKind
  readonly url: string
  readonly authority: Authority
  readonly stranger: Authority
  readonly clock: Clock
  readonly seed: number
  /** Must be shown nowhere. */
  readonly plant: (what: string, text: string) => void
}

/** The client's identity, in files that are rewritten under it. */
export class HostileCredentials {
  /** Must never arrive at this server. */
  readonly foreign: string
  readonly #parts: Parts
  readonly #folder: string
  #token = ''
  #identity: Identity

  private constructor(parts: Parts, folder: string) {
    this.#parts = parts
    this.#folder = folder
    this.foreign = `foreign-token-${parts.seed}`
    this.#identity = this.#issue()
    parts.plant('the token of another cluster', this.foreign)
    this.#renewToken()
  }

  static async make(parts: Parts): Promise<HostileCredentials> {
    const made = new HostileCredentials(parts, await mkdtemp(join(tmpdir(), 'wherry-hostile-')))
    await made.behave()
    return made
  }

  /** What the server takes now. */
  get token(): string {
    return this.#token
  }

  async target(): Promise<ClientTarget> {
    const { kind, url, authority, clock } = this.#parts
    const { ca } = authority
    if (kind === 'token') return { url, token: this.#token, ca }
    if (kind === 'tokenFile') return { url, tokenFile: join(this.#folder, 'token'), ca }
    return { access: await fromKubeconfigFile(join(this.#folder, 'config'), { clock }) }
  }

  /** Something is renewed, badly or well. Says what. */
  async disturb(draw: Draw): Promise<string> {
    const { kind } = this.#parts
    if (kind === 'token') return 'nothing'
    if (kind === 'certificate') {
      const how = draw.pick(['cert before key', 'malformed cert', 'malformed key', 'empty key', 'renewed'])
      const next = this.#issue()
      await this.#write(
        'cert',
        how === 'malformed cert' ? '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n' : next.cert,
      )
      if (how === 'renewed') await this.#write('key', next.key)
      if (how === 'malformed key')
        await this.#write('key', '-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n')
      if (how === 'empty key') await this.#write('key', '')
      return how
    }
    if (kind === 'tokenFile') {
      const how = draw.pick(['rotated', 'emptied', 'removed', 'line breaks'])
      this.#renewToken()
      if (how === 'removed') await rm(join(this.#folder, 'token'), { force: true })
      else await this.#write('token', how === 'rotated' ? this.#token : how === 'emptied' ? '' : 'a\r\nx-more: b')
      return how
    }
    if (kind === 'exec') {
      const printed = [
        'garbage',
        '',
        '{}',
        'null',
        '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":null}',
        `${this.#token} is the token`,
        '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":7}}',
        this.#printed({ clientCertificateData: 'nonsense', clientKeyData: 'nonsense' }),
        this.#printed({ token: 'a\nb' }),
      ]
      const how = draw.integer(0, printed.length - 1)
      this.#renewToken()
      await this.#write('printed', printed[how] as string)
      return `the plugin prints ${how}`
    }
    const how = draw.pick(['rotated', 'another context', 'another server', 'emptied', 'garbage', 'removed'])
    this.#renewToken()
    if (how === 'removed') await rm(join(this.#folder, 'config'), { force: true })
    else if (how === 'emptied') await this.#write('config', '')
    else if (how === 'garbage') await this.#write('config', `{{{: ${this.#token}`)
    else await this.#write('config', this.#config(how))
    return how
  }

  /** All is as it should be. */
  async behave(): Promise<void> {
    await this.#write('token', this.#token)
    await this.#write('printed', this.#printed({ token: this.#token }))
    await this.#write('plugin', `#!/bin/sh\nexec cat '${join(this.#folder, 'printed')}'\n`)
    await chmod(join(this.#folder, 'plugin'), 0o700)
    this.#identity = this.#issue()
    await this.#write('cert', this.#identity.cert)
    await this.#write('key', this.#identity.key)
    await this.#write('config', this.#config('rotated'))
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }

  #issue(): Identity {
    const identity = this.#parts.authority.issue('hostile-client')
    this.#parts.plant('the client key', identity.key.split('\n')[1] as string)
    return identity
  }

  #renewToken(): void {
    this.#tokens++
    this.#token = `planted-token-${this.#parts.seed}-${this.#tokens}`
    this.#parts.plant('the token', this.#token)
  }

  #tokens = 0

  #printed(status: object): string {
    return JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status })
  }

  /** A kubeconfig, in JSON, which is YAML. */
  #config(how: string): string {
    const { kind, url, authority, stranger } = this.#parts
    const ca = { 'certificate-authority-data': Buffer.from(authority.ca).toString('base64') }
    const user =
      kind === 'exec'
        ? {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: join(this.#folder, 'plugin'),
              interactiveMode: 'Never',
            },
          }
        : kind === 'certificate'
          ? { 'client-certificate': join(this.#folder, 'cert'), 'client-key': join(this.#folder, 'key') }
          : { token: how === 'another server' ? this.foreign : this.#token }
    const elsewhere = {
      server: 'https://prod.example.com:6443',
      'certificate-authority-data': Buffer.from(stranger.ca).toString('base64'),
    }
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': how === 'another context' ? 'prod' : 'dev',
      clusters: [
        { name: 'dev', cluster: how === 'another server' ? elsewhere : { server: url, ...ca } },
        { name: 'prod', cluster: elsewhere },
      ],
      users: [
        { name: 'dev', user },
        { name: 'prod', user: { token: this.foreign } },
      ],
      contexts: [
        { name: 'dev', context: { cluster: 'dev', user: 'dev' } },
        { name: 'prod', context: { cluster: 'prod', user: 'prod' } },
      ],
    })
  }

  async #write(name: string, text: string): Promise<void> {
    const path = join(this.#folder, name)
    await writeFile(`${path}.new`, text, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
}
