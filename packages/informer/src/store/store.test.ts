import { Store } from './store.ts'
import { storeContract } from './testkit/contract.ts'
import { failedContract } from './testkit/failed-contract.ts'
import { handlerContract } from './testkit/handler-contract.ts'
import { journalContract } from './testkit/journal-contract.ts'
import { listerContract } from './testkit/lister-contract.ts'
import { type Item, items, type MakeOptions } from './testkit/objects.ts'

const make = ({ view = items, ...options }: MakeOptions): Store<Item, 'namespaced'> =>
  new Store<Item, 'namespaced'>({ view, ...options })

storeContract(make)
journalContract(make)
failedContract(make)
handlerContract(make)
listerContract(make)
