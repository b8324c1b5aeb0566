import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Environment } from '@wherry/client'
import { CertificateFileError } from '../errors.ts'
import { Rounds } from '../rounds.ts'
import type { ServingCertificate } from '../server/certificates.ts'
import type { ManagedCertificates } from './managed.ts'
import { certificatesOf } from './pem.ts'

/** Paths of PEM files, such as those of a mounted Secret of cert-manager. */
export interface CertificateFiles {
  /** The certificate, with its chain. */
  readonly cert: string
  readonly key: string
  /** The authority. With it, the operator writes the bundles; without it, another program has to, such as cert-manager's injector. @default none */
  readonly ca?: string | undefined
}

/** The paths that are given. */
export function pathsOf({ cert, key, ca }: CertificateFiles): string[] {
  return ca === undefined ? [cert, key] : [cert, key, ca]
}

/** How often the files are read even if no change was reported, in milliseconds: not every file system reports changes. */
const pollMs = 10_000

interface Read extends ServingCertificate {
  readonly ca: string | undefined
  readonly expiresAt: number
}

/** Certificates from files, which are read again when they change. Files that do not fit together are reported, and the earlier certificate stays. */
export class FileCertificates implements ManagedCertificates {
  readonly #files: CertificateFiles
  readonly #environment: Environment
  readonly #rounds: Rounds
  readonly #listeners = new Set<() => void>()
  readonly former: readonly string[] = []
  #watchers: FSWatcher[] = []
  #read: Read | undefined
  #problem = ''

  constructor(files: CertificateFiles, environment: Environment) {
    this.#files = files
    this.#environment = environment
    this.#rounds = new Rounds({ environment, phase: 'webhook-certificates', round: () => this.#look() })
  }

  /** Rejects with a CertificateFileError if the files can't be used. */
  async start(): Promise<void> {
    this.#read = await this.#load()
    const folders = new Set(pathsOf(this.#files).map(path => dirname(path)))
    for (const folder of folders) {
      // A mounted Secret changes by a link in its folder.
      const watcher = watch(folder, () => this.#rounds.ask())
      watcher.on('error', error => this.#environment.onError(error, { phase: 'webhook-certificates' }))
      this.#watchers.push(watcher)
    }
    this.#rounds.askIn(pollMs)
  }

  async stop(): Promise<void> {
    for (const watcher of this.#watchers) watcher.close()
    await this.#rounds.close()
  }

  current(): ServingCertificate {
    if (this.#read === undefined) throw new Error('the files of the certificate are read when the operator runs')
    return this.#read
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get expiresAt(): number | undefined {
    return this.#read?.expiresAt
  }

  get authorities(): readonly string[] | undefined {
    return this.#files.ca === undefined ? undefined : [this.#read?.ca ?? '']
  }

  trustedBy(): void {}

  recheck(): void {}

  async #look(): Promise<void> {
    this.#rounds.askIn(pollMs)
    let read: Read
    try {
      read = await this.#load()
    } catch (error) {
      const { message } = error as Error
      // Each problem is reported once, although the files are checked again and again.
      if (message !== this.#problem) this.#environment.onError(error as Error, { phase: 'webhook-certificates' })
      this.#problem = message
      return
    }
    this.#problem = ''
    const { cert, key, ca, expiresAt } = read
    const before = this.#read
    if (before?.cert === cert && before.key === key && before.ca === ca) return
    this.#read = read
    const expires = new Date(expiresAt).toISOString()
    this.#environment.log('info', 'the serving certificate of the webhooks was read again', { expires })
    for (const listener of [...this.#listeners]) listener()
  }

  async #load(): Promise<Read> {
    const { cert: certPath, key: keyPath, ca: caPath } = this.#files
    const [cert, key, ca] = await Promise.all([
      contentOf(certPath),
      contentOf(keyPath),
      caPath === undefined ? undefined : contentOf(caPath),
    ])
    const [first] = certificatesOf(cert)
    if (first === undefined) throw new CertificateFileError(certPath, 'it has no PEM of a certificate')
    if (caPath !== undefined && certificatesOf(ca ?? '').length === 0)
      throw new CertificateFileError(caPath, 'it has no PEM of a certificate')
    if (!isKeyOf(first.cert, key, keyPath)) throw new CertificateFileError(keyPath, `it is not the key of ${certPath}`)
    return { cert, key, ca, expiresAt: first.notAfter }
  }
}

function isKeyOf(cert: string, key: string, path: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    throw new CertificateFileError(path, 'it has no PEM of a private key')
  }
}

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CertificateFileError(path, `it can't be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
