import type { AccessControl, User } from './access.ts'
import type { EmbeddedOptions } from './options.ts'
import type { Registry } from './resources/registry.ts'
import { StatusError } from './status.ts'
import type { Store } from './store/store.ts'

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Access as the options ask for it. */
export function accessControl(parts: {
  readonly store: Store
  readonly registry: Registry
  readonly adminToken: string
  readonly options: EmbeddedOptions
}): AccessControl {
  const { adminToken, options } = parts
  const admin: User = { name: 'wherry:admin', groups: ['system:masters', 'system:authenticated'] }
  const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized')
  return {
    authenticate(request) {
      const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
      if (token !== undefined) {
        if (token === adminToken) return admin
        const tokens = options.tokens ?? {}
        const user = Object.hasOwn(tokens, token) ? tokens[token] : undefined
        if (user === undefined) throw unauthorized()
        return user
      }
      if (options.anonymous === false) throw unauthorized()
      return anonymous
    },
    authorize() {
      return
    },
  }
}
