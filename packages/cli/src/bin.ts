#!/usr/bin/env node
import { runCommand } from './run.ts'

const { stdin, stdout, stderr } = process
process.exitCode = await runCommand(process.argv.slice(2), { stdin, stdout, stderr, cwd: process.cwd() })
