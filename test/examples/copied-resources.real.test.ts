import { playOnARealServer } from './on-a-real-server.ts'

playOnARealServer(['copied-resources'])
