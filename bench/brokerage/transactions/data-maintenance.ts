// SPDX-License-Identifier: Apache-2.0
import { get, scan, scanEach, type Transaction } from '../engine.ts'
import type { TableName } from '../schema/schema.ts'
import { required } from './rows-by-key.ts'
import { toggled } from './trade-update.ts'

type Chosen = {
  readonly accountId: number
  readonly customerId: number
  readonly companyId: number
  readonly symbol: string
  readonly taxRateId: string
  /** Of a customer where true, of the company otherwise. */
  readonly addressOfCustomer: boolean
  /** 1 to 31. */
  readonly dayOfMonth: number
  /** 1 to 3. */
  readonly volumeChange: number
}

const DAY_MS = 24 * 3600 * 1000
const QUARTERS = 20
const RIGHTS: readonly string[] = ['0000', '0001', '0011']

/** How each table is maintained; all return how many rows they have changed. */
const MAINTENANCE = {
  account_permission: rotateRights,
  address: moveHouse,
  company: rateCompany,
  customer: changeEmail,
  customer_taxrate: replaceTaxRate,
  daily_market: correctVolumes,
  exchange: describeExchanges,
  financial: shiftQuarters,
  news_item: redateNews,
  security: redateListing,
  taxrate: renameTaxRate,
  watch_item: replaceWatched,
} as const satisfies Partial<
  Record<TableName, (transaction: Transaction, chosen: Chosen) => Promise<number>>
>

export type DataMaintenanceInput = Chosen & { readonly table: keyof typeof MAINTENANCE }

/** What is maintained, in turn. */
export const MAINTAINED_TABLES = Object.keys(MAINTENANCE) as DataMaintenanceInput['table'][]

/** Changes what hardly ever changes, forth and back. Returns how many rows it has changed. */
export async function dataMaintenance(
  transaction: Transaction,
  input: DataMaintenanceInput,
): Promise<number> {
  const changed = await MAINTENANCE[input.table](transaction, input)
  await transaction.commit()
  return changed
}

async function rotateRights(transaction: Transaction, { accountId }: Chosen) {
  const [permissions] = await transaction.read(
    scan('account_permission', [accountId], ['ap_tax_id', 'ap_acl'], { limit: 1 }),
  )
  for (const { ap_tax_id, ap_acl } of permissions) {
    const next = RIGHTS[(RIGHTS.indexOf(ap_acl) + 1) % RIGHTS.length]
    transaction.update('account_permission', [accountId, ap_tax_id], {
      set: { ap_acl: next ?? '' },
    })
  }
  return permissions.length
}

async function moveHouse(transaction: Transaction, input: Chosen) {
  const [customer, company] = await transaction.read(
    get('customer', [input.customerId], ['c_ad_id']),
    get('company', [input.companyId], ['co_ad_id']),
  )
  const addressId = input.addressOfCustomer
    ? required(customer, 'customer').c_ad_id
    : required(company, 'company').co_ad_id
  const [address] = await transaction.read(get('address', [addressId], ['ad_line2']))
  const line = required(address, `address ${addressId}`).ad_line2
  const set = { ad_line2: line === 'Apt. 10C' ? 'Apt. 22' : 'Apt. 10C' }
  transaction.update('address', [addressId], { set })
  return 1
}

async function rateCompany(transaction: Transaction, { companyId }: Chosen) {
  const [company] = await transaction.read(get('company', [companyId], ['co_sp_rate']))
  const { co_sp_rate } = required(company, `company ${companyId}`)
  const set = { co_sp_rate: co_sp_rate === 'ABA' ? 'AAA' : 'ABA' }
  transaction.update('company', [companyId], { set })
  return 1
}

async function changeEmail(transaction: Transaction, { customerId }: Chosen) {
  const [customer] = await transaction.read(get('customer', [customerId], ['c_email_2']))
  const { c_email_2 } = required(customer, `customer ${customerId}`)
  const set = { c_email_2: toggled(c_email_2, '', '.example') }
  transaction.update('customer', [customerId], { set })
  return 1
}

/** The customer's last tax rate gives way to the next one in the list that the customer has not. */
async function replaceTaxRate(transaction: Transaction, { customerId }: Chosen) {
  const [own] = await transaction.read(scan('customer_taxrate', [customerId], ['cx_tx_id']))
  const old = required(own.at(-1), `tax rate of ${customerId}`).cx_tx_id
  const [later, all] = await transaction.read(
    scan('taxrate', [], ['tx_id'], { atLeast: old, limit: own.length + 1 }),
    scan('taxrate', [], ['tx_id'], { limit: own.length + 1 }),
  )
  const taken = new Set(own.map((rate) => rate.cx_tx_id))
  const next = [...later, ...all].find(({ tx_id }) => !taken.has(tx_id))
  if (next === undefined) return 0
  transaction.delete('customer_taxrate', [customerId, old])
  transaction.insert('customer_taxrate', { cx_c_id: customerId, cx_tx_id: next.tx_id })
  return 2
}

async function correctVolumes(
  transaction: Transaction,
  { symbol, dayOfMonth, volumeChange }: Chosen,
) {
  const [days] = await transaction.read(scan('daily_market', [symbol], ['dm_date']))
  const chosen = days.filter(({ dm_date }) => new Date(dm_date).getUTCDate() === dayOfMonth)
  for (const { dm_date } of chosen) {
    transaction.update('daily_market', [symbol, dm_date], { add: { dm_vol: volumeChange } })
  }
  return chosen.length
}

async function describeExchanges(transaction: Transaction) {
  const [exchanges] = await transaction.read(scan('exchange', [], ['ex_id', 'ex_desc']))
  for (const { ex_id, ex_desc } of exchanges) {
    const set = { ex_desc: toggled(ex_desc, '', ' (revised)') }
    transaction.update('exchange', [ex_id], { set })
  }
  return exchanges.length
}

/** Between the first and the second of the month. */
async function shiftQuarters(transaction: Transaction, { companyId }: Chosen) {
  const [quarters] = await transaction.read(
    scan('financial', [companyId], ['fi_year', 'fi_qtr', 'fi_qtr_start_date'], { limit: QUARTERS }),
  )
  for (const { fi_year, fi_qtr, fi_qtr_start_date } of quarters) {
    const isFirst = new Date(fi_qtr_start_date).getUTCDate() === 1
    const add = { fi_qtr_start_date: isFirst ? DAY_MS : -DAY_MS }
    transaction.update('financial', [companyId, fi_year, fi_qtr], { add })
  }
  return quarters.length
}

async function redateNews(transaction: Transaction, { companyId }: Chosen) {
  const [references] = await transaction.read(scan('news_xref', [companyId], ['nx_ni_id']))
  for (const { nx_ni_id } of references) {
    transaction.update('news_item', [nx_ni_id], { add: { ni_dts: DAY_MS } })
  }
  return references.length
}

async function redateListing(transaction: Transaction, { symbol }: Chosen) {
  transaction.update('security', [symbol], { add: { s_exch_date: DAY_MS } })
  return 1
}

async function renameTaxRate(transaction: Transaction, { taxRateId }: Chosen) {
  const [rate] = await transaction.read(get('taxrate', [taxRateId], ['tx_name']))
  const { tx_name } = required(rate, `tax rate ${taxRateId}`)
  const set = { tx_name: toggled(tx_name, '', ' (revised)') }
  transaction.update('taxrate', [taxRateId], { set })
  return 1
}

/** The middle one of the customer's watch list gives way to a security that was not in it. */
async function replaceWatched(transaction: Transaction, input: Chosen) {
  const [lists] = await transaction.read(
    scan('watch_list', [input.customerId], ['wl_id'], { index: 'watch_list_customer' }),
  )
  const listId = required(lists[0], `watch list of ${input.customerId}`).wl_id
  const [items] = await transaction.read(scanEach('watch_item', [listId], ['wi_s_symb']))
  const symbols = (items[0] ?? []).map((item) => item.wi_s_symb)
  const middle = symbols[Math.floor(symbols.length / 2)]
  if (middle === undefined || symbols.includes(input.symbol)) return 0
  transaction.delete('watch_item', [listId, middle])
  transaction.insert('watch_item', { wi_wl_id: listId, wi_s_symb: input.symbol })
  return 2
}
