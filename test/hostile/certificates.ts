import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate and its key, PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

/** An authority made for one run, and what it signs. Nothing of it is kept. */
export class Authority {
  readonly #key: KeyObject
  readonly #name: string
  readonly ca: string

  constructor(name: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    this.#name = name
    this.ca = this.#certificate(name, publicKey, true)
  }

  /** An identity; `hosts` are IPv4 addresses or names that a server's certificate bears. */
  issue(name: string, hosts: readonly string[] = []): Identity {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    return { cert: this.#certificate(name, publicKey, false, hosts), key }
  }

  #certificate(name: string, subject: KeyObject, isAuthority: boolean, hosts: readonly string[] = []): string {
    const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
    const extensions: Buffer[] = []
    const extension = (id: Buffer, value: Buffer, critical = false): void => {
      extensions.push(sequence(id, ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value)))
    }
    if (isAuthority) extension(oid(0x55, 0x1d, 0x13), sequence(der(0x01, Buffer.from([0xff]))), true)
    if (hosts.length > 0) extension(oid(0x55, 0x1d, 0x11), sequence(...hosts.map(hostName)))
    const body = sequence(
      der(0xa0, der(0x02, Buffer.from([2]))),
      der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
      algorithm,
      distinguished(this.#name),
      sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('490101000000Z'))),
      distinguished(name),
      subject.export({ type: 'spki', format: 'der' }) as Buffer,
      ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
    )
    const signature = sign('sha256', body, this.#key)
    const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
    const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
    return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  }
}

function der(tag: number, value: Buffer): Buffer {
  const { length } = value
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), value])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

function distinguished(name: string): Buffer {
  return sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(name)))))
}

function hostName(host: string): Buffer {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(host)
  return isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host))
}
