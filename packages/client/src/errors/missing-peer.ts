/**
 * The message for an optional peer dependency that can't be loaded: it is not installed, or its import fails, as in a bundle that lacks a part of it.
 *
 * @param needs the purpose of the package: `metrics need`
 */
export function peerProblem(needs: string, name: string, cause: unknown): string {
  const { code, message = `${cause}` } = Object(cause) as { readonly code?: unknown; readonly message?: string }
  const isMissing = /MODULE_NOT_FOUND$/.test(`${code}`) && message.includes(`'${name}'`)
  return isMissing
    ? `${needs} the package ${name}: npm install ${name}`
    : `${needs} the package ${name}, which is installed and can't be loaded: ${message}`
}
