import { Command, Option } from 'commander'
import { durationOf } from '../duration.ts'
import { CommandFailure, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'

interface Options {
  readonly crds?: string
  readonly objects?: string
  readonly kubeconfig?: string
  readonly cluster?: string
  readonly yes?: true
  readonly for?: number
  readonly rest: number
  readonly json?: true
  readonly rbac?: true
  readonly record?: string
  readonly html?: string
  readonly compare?: true
  readonly game?: string | true
  readonly maxRssGrowth?: string
}

const examples = `
Examples:
  wherry audit --for 60s -- node main.js               against an embedded API server with the definitions in deploy/crd
  wherry audit --for 60s --objects objects -- ./operator   and with the objects in this folder
  wherry audit --for 60s --cluster kind-dev -- ./operator  against the cluster of this context; asks first
  wherry audit --for 60s --json -- ./operator > report.json
  wherry audit --for 60s --html report.html -- ./operator
  wherry audit --for 60s --rbac -- ./operator > roles.yaml
  wherry audit --game -- ./operator                      and objects that it should not care about come and go
  wherry audit --for 60s --record before.json -- ./operator
  wherry audit --compare before.json after.json

Exit status: that of the command if it ends by itself; 0 if the audit ended it; 1 the program received objects of the game or its memory grew, the server can't start, or the command can't be run; 2 wrong usage.`

/** `wherry audit`: counts the requests of a program in any language to an API server. */
export function auditCommand(host: CommandHost): Command {
  return new Command('audit')
    .description(
      'Runs a command against an API server behind a proxy, and reports what it lists, watches, reads and writes, and how much memory it takes.',
    )
    .argument('<command...>', 'the command: it gets the KUBECONFIG of the proxy; with --compare two files')
    .option(
      '--crds <folder>',
      'the definitions of the embedded server, if there is such a folder (default: deploy/crd)',
    )
    .option('--objects <folder>', 'the objects of the embedded server (default: none)')
    .option('--kubeconfig <file>', 'run against the real API server of this kubeconfig')
    .option('--cluster <context>', 'run against the cluster of this context; asks first')
    .option('--yes', 'with --cluster: do not ask')
    .option('--for <time>', 'stop the command after this time (default: when it ends, or at Ctrl+C)', timeOf('--for'))
    .option('--rest <time>', 'so long before the end nothing should be asked for any more', timeOf('--rest'), 10_000)
    .option('--json', 'print the report as JSON')
    .addOption(
      new Option('--rbac', 'print the roles that the command was seen to need, in place of the report').conflicts(
        'json',
      ),
    )
    .option(
      '--game [counts]',
      'add and remove objects in a namespace of their own that the command should not care about, such as configmaps=20,secrets=20,pods=100,events=100,size=500kB',
    )
    .option('--max-rss-growth <size>', 'with --game: how much the memory may grow (default: 20MB)')
    .option('--record <file>', 'also write the report to this file, as JSON')
    .option('--html <file>', 'also write the report to this file, as a page with plots of memory and bytes')
    .addOption(
      new Option('--compare', 'run nothing, and print what differs between the reports of two files').conflicts([
        ...['crds', 'objects', 'kubeconfig', 'cluster', 'yes', 'for', 'rest', 'json', 'rbac', 'record'],
        ...['game', 'maxRssGrowth', 'html'],
      ]),
    )
    .passThroughOptions()
    .addHelpText('after', examples)
    .action(async (command: readonly string[], options: Options) => {
      if (options.compare) return compareFiles(command, host)
      const { crds, objects, kubeconfig, cluster, yes, json, rbac, record, html, game, maxRssGrowth } = options
      const { for: forMs, rest: restMs } = options
      const embedded = crds !== undefined ? '--crds' : objects !== undefined ? '--objects' : undefined
      if (embedded !== undefined && (kubeconfig ?? cluster) !== undefined)
        throw wrongUsage(
          `${embedded} is for the embedded API server: leave out ${cluster === undefined ? '--kubeconfig' : '--cluster'}`,
        )
      if (yes && cluster === undefined) throw wrongUsage('--yes goes with --cluster: nothing else is asked')
      if (maxRssGrowth !== undefined && game === undefined) throw wrongUsage('--max-rss-growth goes with --game')
      if (html !== undefined && html === record) throw wrongUsage('--html and --record name the same file')
      const [{ audit }, { gameOf }] = await Promise.all([import('./audit.ts'), import('./game/game-options.ts')])
      const played = game === undefined ? undefined : gameOf(game === true ? '' : game, maxRssGrowth ?? '20MB')
      const status = await audit(
        {
          ...{
            command,
            crds: crds ?? 'deploy/crd',
            objects,
            kubeconfig,
            cluster,
            forMs,
            restMs,
            record,
            html,
            game: played,
          },
          ...{ isAgreed: yes === true, prints: rbac ? 'rbac' : json ? 'json' : 'table', graceMs: 10_000 },
        },
        host,
      )
      if (status !== 0) throw new CommandFailure('', status)
    })
}

async function compareFiles([before, after, ...more]: readonly string[], host: CommandHost): Promise<void> {
  if (before === undefined || after === undefined || more.length > 0)
    throw wrongUsage('--compare takes two files: --compare BEFORE AFTER')
  const { compare } = await import('./report/compare.ts')
  await compare(before, after, host)
}

const timeOf = (option: string) => (text: string) => durationOf(text, option)
