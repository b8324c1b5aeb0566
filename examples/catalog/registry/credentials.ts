/** A user of a registry. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The user for a registry in a Secret of the type `kubernetes.io/dockerconfigjson`. `undefined` where it names none. */
export function credentialsIn(dockerConfig: string, host: string): Credentials | undefined {
  const { auths = {} } = JSON.parse(dockerConfig) as {
    auths?: Record<string, Partial<Credentials> & { auth?: string }>
  }
  const found = auths[host] ?? auths[`https://${host}`]
  if (found === undefined) return undefined
  const { auth, username = '', password = '' } = found
  if (auth === undefined) return { username, password }
  const [name = '', ...rest] = Buffer.from(auth, 'base64').toString().split(':')
  return { username: name, password: rest.join(':') }
}

/** The value of an `Authorization` header. */
export function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
