import { type ApiServer, install } from '@wherry/apiserver'
import { InstallError } from '@wherry/apiserver/internal'
import { definitionsIn } from '../definitions-in.ts'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { definitionFiles } from './definition-files.ts'

/** Creates the definitions in a folder, and resolves when the server serves their resources. */
export async function createDefinitions(server: ApiServer, folder: string, host: CommandHost): Promise<void> {
  for (const file of await definitionFiles(folder, host.cwd))
    try {
      await install(server, ...(await definitionsIn(file, host)))
    } catch (error) {
      if (error instanceof InstallError) throw refused(`${file}: ${oneLine(error.message)}`)
      throw error
    }
}
