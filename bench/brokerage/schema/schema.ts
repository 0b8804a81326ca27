// SPDX-License-Identifier: Apache-2.0
import { type RowOfShape, type TableShape, table, type Value } from './table-shape.ts'

/** The eleven tables of companies, their securities and the market. */
const MARKET_TABLES = {
  company: table(
    'co_id integer',
    ['co_name text, co_in_id text, co_sp_rate text, co_ad_id integer, co_pad text'],
    {
      company_name: { on: ['co_name'], unique: true },
      company_industry: { on: ['co_in_id', 'co_id'] },
    },
  ),
  company_competitor: table('cp_co_id integer, cp_comp_co_id integer, cp_in_id text', []),
  daily_market: table('dm_s_symb text, dm_date integer', [
    'dm_close cents, dm_high cents, dm_low cents, dm_vol integer',
  ]),
  // Opening and closing are minutes of the day.
  exchange: table('ex_id text', [
    'ex_name text, ex_num_symb integer, ex_open integer, ex_close integer, ex_desc text',
    'ex_ad_id integer, ex_pad text',
  ]),
  financial: table('fi_co_id integer, fi_year integer, fi_qtr integer', [
    'fi_qtr_start_date integer, fi_pad text',
  ]),
  industry: table('in_id text', ['in_name text, in_sc_id text'], {
    industry_name: { on: ['in_name'] },
    industry_sector: { on: ['in_sc_id'] },
  }),
  last_trade: table('lt_s_symb text', [
    'lt_dts integer, lt_price cents, lt_open_price cents, lt_vol integer',
  ]),
  news_item: table(
    'ni_id integer',
    ['ni_headline text, ni_summary text, ni_item text, ni_dts integer'],
    {},
    ['ni_item'],
  ),
  news_xref: table('nx_co_id integer, nx_ni_id integer', []),
  sector: table('sc_id text', ['sc_name text']),
  security: table(
    's_symb text',
    [
      's_issue text, s_name text, s_ex_id text, s_co_id integer, s_num_out integer',
      's_exch_date integer, s_pad text',
    ],
    { security_company: { on: ['s_co_id', 's_issue'] } },
  ),
} as const

/** The four tables that the others refer to. */
const DIMENSION_TABLES = {
  address: table('ad_id integer', ['ad_line1 text, ad_line2 text, ad_zc_code text, ad_ctry text']),
  status_type: table('st_id text', ['st_name text']),
  // The rate is in hundred-thousandths.
  taxrate: table('tx_id text', ['tx_name text, tx_rate integer']),
  zip_code: table('zc_code text', ['zc_town text, zc_div text']),
} as const

/** The nine tables of customers, their accounts and what those hold. */
const CUSTOMER_TABLES = {
  customer: table(
    'c_id integer',
    [
      'c_tax_id text, c_l_name text, c_f_name text, c_tier integer, c_ad_id integer',
      'c_email_2 text, c_pad text',
    ],
    { customer_tax_id: { on: ['c_tax_id'], unique: true } },
  ),
  customer_account: table(
    'ca_id integer',
    ['ca_b_id integer, ca_c_id integer, ca_name text, ca_tax_st integer, ca_bal cents'],
    { customer_account_customer: { on: ['ca_c_id'] } },
  ),
  customer_taxrate: table('cx_c_id integer, cx_tx_id text', []),
  account_permission: table('ap_ca_id integer, ap_tax_id text', [
    'ap_acl text, ap_l_name text, ap_f_name text',
  ]),
  // One prefix scan of its key, forward or backward, walks a position first-in or last-in first.
  holding: table('h_ca_id integer, h_s_symb text, h_dts integer, h_t_id integer', [
    'h_price cents, h_qty integer',
  ]),
  holding_history: table(
    'hh_t_id integer, hh_h_t_id integer',
    ['hh_before_qty integer, hh_after_qty integer'],
    { holding_history_holding: { on: ['hh_h_t_id', 'hh_t_id'] } },
  ),
  holding_summary: table('hs_ca_id integer, hs_s_symb text', ['hs_qty integer']),
  watch_list: table('wl_id integer', ['wl_c_id integer'], {
    watch_list_customer: { on: ['wl_c_id'] },
  }),
  watch_item: table('wi_wl_id integer, wi_s_symb text', []),
} as const

/** The nine tables of brokers and trades. */
const BROKER_TABLES = {
  broker: table('b_id integer', ['b_name text, b_num_trades integer, b_comm_total cents'], {
    broker_name: { on: ['b_name'], unique: true },
  }),
  cash_transaction: table('ct_t_id integer', ['ct_dts integer, ct_amt cents, ct_name text']),
  charge: table('ch_tt_id text, ch_c_tier integer', ['ch_chrg cents']),
  // The rate is in hundredths of a percent.
  commission_rate: table('cr_c_tier integer, cr_tt_id text, cr_ex_id text, cr_from_qty integer', [
    'cr_to_qty integer, cr_rate integer',
  ]),
  settlement: table('se_t_id integer', [
    'se_cash_type text, se_cash_due_date integer, se_amt cents',
  ]),
  trade: table(
    't_id integer',
    [
      't_dts integer, t_st_id text, t_tt_id text, t_is_cash integer, t_s_symb text',
      't_qty integer, t_bid_price cents, t_ca_id integer, t_exec_name text',
      't_trade_price cents?, t_chrg cents, t_comm cents, t_tax cents',
      't_lifo integer',
    ],
    {
      trade_account: { on: ['t_ca_id', 't_dts'] },
      trade_security: { on: ['t_s_symb', 't_dts'] },
    },
  ),
  trade_history: table('th_t_id integer, th_st_id text', ['th_dts integer']),
  trade_request: table(
    'tr_t_id integer',
    ['tr_tt_id text, tr_s_symb text, tr_qty integer, tr_bid_price cents, tr_b_id integer'],
    {
      trade_request_security: { on: ['tr_s_symb', 'tr_tt_id', 'tr_bid_price'] },
      trade_request_broker: { on: ['tr_b_id'] },
    },
  ),
  trade_type: table('tt_id text', ['tt_name text, tt_is_sell integer, tt_is_mrkt integer']),
} as const

/**
 * The 33 tables of the TPC-E-style workload, the same in every engine: the same
 * columns, keys and 14 secondary indexes, no foreign keys. Columns that no transaction reads are one
 * fixed text, `*_pad`, of the same length.
 */
export const SCHEMA = {
  ...CUSTOMER_TABLES,
  ...BROKER_TABLES,
  ...MARKET_TABLES,
  ...DIMENSION_TABLES,
} as const satisfies Readonly<Record<string, TableShape>>

export type TableName = keyof typeof SCHEMA

/** A whole row of a table, by its column names. */
export type RowOf<Table extends TableName> = RowOfShape<(typeof SCHEMA)[Table]>

export type ColumnOf<Table extends TableName> = keyof (typeof SCHEMA)[Table]['columns'] & string

export type IndexOf<Table extends TableName> = (typeof SCHEMA)[Table]['indexes'][number]['name']

export const TABLE_NAMES = Object.keys(SCHEMA) as readonly TableName[]

/** The columns of a table in the order in which every engine has them. */
export function columnsOf<Table extends TableName>(table: Table): readonly ColumnOf<Table>[] {
  return Object.keys(SCHEMA[table].columns) as ColumnOf<Table>[]
}

/** The values of the primary key of a row, in its order. */
export function keyOf<Table extends TableName>(table: Table, row: RowOf<Table>): readonly Value[] {
  const values = row as Readonly<Record<string, Value>>
  return SCHEMA[table].primaryKey.map((column) => values[column] as Value)
}

/** Whether or not it may be NULL. */
export function typeOf(table: TableName, column: string): 'integer' | 'cents' | 'text' | undefined {
  const { columns }: TableShape = SCHEMA[table]
  return columns[column]?.replace('?', '') as ReturnType<typeof typeOf>
}
