/**
 * Does one of many equal requests alone before the others begin. Its answer shows what the server makes of all of them, so that the others are not
 * sent if all is as it should be.
 */
export class First {
  #first: Promise<unknown> | undefined

  async before<R>(request: () => Promise<R>): Promise<R> {
    if (this.#first !== undefined) {
      await this.#first
      return request()
    }
    const requested = request()
    this.#first = requested.catch(() => {})
    return requested
  }
}
