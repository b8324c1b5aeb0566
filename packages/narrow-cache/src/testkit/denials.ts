import type { SimulatedOptions } from '@wherry/informer/testkit/served'
import { chance, choose } from '@wherry/testing'

interface Asked {
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** A cluster with a client that is denied some of its requests. */
export const denying = (isDenied: (request: Asked) => boolean): SimulatedOptions => ({
  tokens: { u: { name: 'u', groups: [] } },
  token: 'u',
  authorization: (request: Asked & { readonly user: { readonly name: string } }) =>
    request.user.name !== 'u' || !isDenied(request),
})

/** The requests that the client may not make at present. */
export class Denials {
  static readonly #kinds: readonly ((request: Asked) => boolean)[] = [
    ({ verb }) => verb === 'watch',
    ({ verb, namespace }) => verb === 'watch' && namespace !== 'a',
    ({ namespace }) => namespace === 'b',
    ({ name }) => name === '' || name === 'p',
    ({ name }) => name === '',
    () => true,
  ]
  current: (request: Asked) => boolean = () => false

  change(random: () => number): void {
    this.current = chance(random, 0.3) ? () => false : choose(random, Denials.#kinds)
  }
}
