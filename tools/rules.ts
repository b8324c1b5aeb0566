import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ruleIds, rulePages, rulesNamed } from './rules/guarantees.ts'
import { type Claimant, judge, matrixLines, RulesError } from './rules/matrix.ts'
import { publishedPackages, root } from './workspace.ts'

const usage = `npm run rules [-- IDS-OR-LETTERS…] [--package NAME] [--json]
  R20 X       the rules asked for, by id or letter; none means all that are claimed
  --package   looks at this package's claims alone (client, informer, …)
  --json      prints {"named": {"F1": 3}, "missing": []}
Exits with 1 when a rule asked for is claimed by no package, or by one without a test that names it.`

/** Counts the rules named by the test titles below `folder`, those of suites that test files run among them. */
function namedBelow(folder: string): Map<string, number> {
  const counts = new Map<string, number>()
  const exclude = ['**/node_modules/**', '**/dist/**']
  for (const file of globSync(['**/*.test.ts', '**/testkit/*.ts'], { cwd: folder, exclude }))
    for (const [id, count] of rulesNamed(readFileSync(join(folder, file), 'utf8')))
      counts.set(id, (counts.get(id) ?? 0) + count)
  return counts
}

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { package: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const known = ruleIds(rulePages())
  const claimants = publishedPackages().map(
    (one): Claimant => ({ name: one.short, claims: one.manifest.wherry?.rules ?? [], named: namedBelow(one.folder) }),
  )
  const shared = namedBelow(join(root, 'test'))
  const { named, missing, reasons } = judge(known, claimants, shared, { ids: positionals, package: values.package })
  if (values.json) console.log(JSON.stringify({ named, missing }))
  else {
    const shown = values.package === undefined ? claimants : claimants.filter(one => one.name === values.package)
    for (const line of matrixLines(shown, shared, Object.keys(named))) console.log(line)
    for (const reason of reasons) console.log(`missing: ${reason}`)
    if (missing.length === 0) console.log('none missing')
  }
  return missing.length === 0 ? 0 : 1
}

try {
  process.exitCode = main()
} catch (error) {
  if (!(error instanceof RulesError) && !(error instanceof TypeError)) throw error
  console.error(`npm run rules: ${error.message}\n${usage}`)
  process.exitCode = 1
}
