#!/usr/bin/env node
import { runCommand } from './run.ts'

const { stdout, stderr } = process
process.exitCode = await runCommand(process.argv.slice(2), { stdout, stderr, cwd: process.cwd() })
