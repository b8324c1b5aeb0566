/**
 * Sends the first of many equal requests alone, before the others begin. Its answer shows the form in which the server stores the copies, so no
 * request is sent for copies that are correct in that form.
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
