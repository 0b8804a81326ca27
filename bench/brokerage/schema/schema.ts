// SPDX-License-Identifier: Apache-2.0
import { type RowOfShape, type TableShape, table, type Value } from './table-shape.ts'

/** The eleven tables of companies, their securities and the market. */
const MARKET_TABLES = {
  company: table({
    columns: [
      'co_id integer, co_name text, co_in_id text, co_sp_rate text, co_ad_id integer',
      'co_pad text',
    ],
    primaryKey: ['co_id'],
    indexes: {
      company_name: { on: ['co_name'], unique: true },
      company_industry: { on: ['co_in_id', 'co_id'] },
    },
  }),
  company_competitor: table({
    columns: ['cp_co_id integer, cp_comp_co_id integer, cp_in_id text'],
    primaryKey: ['cp_co_id', 'cp_comp_co_id', 'cp_in_id'],
  }),
  daily_market: table({
    columns: [
      'dm_s_symb text, dm_date integer, dm_close integer, dm_high integer, dm_low integer',
      'dm_vol integer',
    ],
    primaryKey: ['dm_s_symb', 'dm_date'],
  }),
  // Opening and closing are minutes of the day.
  exchange: table({
    columns: [
      'ex_id text, ex_name text, ex_num_symb integer, ex_open integer, ex_close integer',
      'ex_desc text, ex_ad_id integer, ex_pad text',
    ],
    primaryKey: ['ex_id'],
  }),
  financial: table({
    columns: [
      'fi_co_id integer, fi_year integer, fi_qtr integer, fi_qtr_start_date integer',
      'fi_pad text',
    ],
    primaryKey: ['fi_co_id', 'fi_year', 'fi_qtr'],
  }),
  industry: table({
    columns: ['in_id text, in_name text, in_sc_id text'],
    primaryKey: ['in_id'],
    indexes: { industry_name: { on: ['in_name'] }, industry_sector: { on: ['in_sc_id'] } },
  }),
  last_trade: table({
    columns: [
      'lt_s_symb text, lt_dts integer, lt_price integer, lt_open_price integer',
      'lt_vol integer',
    ],
    primaryKey: ['lt_s_symb'],
  }),
  news_item: table({
    columns: ['ni_id integer, ni_headline text, ni_summary text, ni_item text, ni_dts integer'],
    primaryKey: ['ni_id'],
    apart: ['ni_item'],
  }),
  news_xref: table({
    columns: ['nx_co_id integer, nx_ni_id integer'],
    primaryKey: ['nx_co_id', 'nx_ni_id'],
  }),
  sector: table({
    columns: ['sc_id text, sc_name text'],
    primaryKey: ['sc_id'],
  }),
  security: table({
    columns: [
      's_symb text, s_issue text, s_name text, s_ex_id text, s_co_id integer',
      's_num_out integer, s_exch_date integer, s_pad text',
    ],
    primaryKey: ['s_symb'],
    indexes: { security_company: { on: ['s_co_id', 's_issue'] } },
  }),
} as const

/** The four tables that the others refer to. */
const DIMENSION_TABLES = {
  address: table({
    columns: ['ad_id integer, ad_line1 text, ad_line2 text, ad_zc_code text, ad_ctry text'],
    primaryKey: ['ad_id'],
  }),
  status_type: table({
    columns: ['st_id text, st_name text'],
    primaryKey: ['st_id'],
  }),
  // The rate is in hundred-thousandths.
  taxrate: table({
    columns: ['tx_id text, tx_name text, tx_rate integer'],
    primaryKey: ['tx_id'],
  }),
  zip_code: table({
    columns: ['zc_code text, zc_town text, zc_div text'],
    primaryKey: ['zc_code'],
  }),
} as const

/** The nine tables of customers, their accounts and what those hold. */
const CUSTOMER_TABLES = {
  customer: table({
    columns: [
      'c_id integer, c_tax_id text, c_l_name text, c_f_name text, c_tier integer',
      'c_ad_id integer, c_email_2 text, c_pad text',
    ],
    primaryKey: ['c_id'],
    indexes: { customer_tax_id: { on: ['c_tax_id'], unique: true } },
  }),
  customer_account: table({
    columns: [
      'ca_id integer, ca_b_id integer, ca_c_id integer, ca_name text, ca_tax_st integer',
      'ca_bal integer',
    ],
    primaryKey: ['ca_id'],
    indexes: { customer_account_customer: { on: ['ca_c_id'] } },
  }),
  customer_taxrate: table({
    columns: ['cx_c_id integer, cx_tx_id text'],
    primaryKey: ['cx_c_id', 'cx_tx_id'],
  }),
  account_permission: table({
    columns: ['ap_ca_id integer, ap_tax_id text, ap_acl text, ap_l_name text, ap_f_name text'],
    primaryKey: ['ap_ca_id', 'ap_tax_id'],
  }),
  // One prefix scan of its key, forward or backward, walks a position first-in or last-in first.
  holding: table({
    columns: [
      'h_ca_id integer, h_s_symb text, h_dts integer, h_t_id integer, h_price integer',
      'h_qty integer',
    ],
    primaryKey: ['h_ca_id', 'h_s_symb', 'h_dts', 'h_t_id'],
  }),
  holding_history: table({
    columns: ['hh_t_id integer, hh_h_t_id integer, hh_before_qty integer, hh_after_qty integer'],
    primaryKey: ['hh_t_id', 'hh_h_t_id'],
    indexes: { holding_history_holding: { on: ['hh_h_t_id', 'hh_t_id'] } },
  }),
  holding_summary: table({
    columns: ['hs_ca_id integer, hs_s_symb text, hs_qty integer'],
    primaryKey: ['hs_ca_id', 'hs_s_symb'],
  }),
  watch_list: table({
    columns: ['wl_id integer, wl_c_id integer'],
    primaryKey: ['wl_id'],
    indexes: { watch_list_customer: { on: ['wl_c_id'] } },
  }),
  watch_item: table({
    columns: ['wi_wl_id integer, wi_s_symb text'],
    primaryKey: ['wi_wl_id', 'wi_s_symb'],
  }),
} as const

/** The nine tables of brokers and trades. */
const BROKER_TABLES = {
  broker: table({
    columns: ['b_id integer, b_name text, b_num_trades integer, b_comm_total integer'],
    primaryKey: ['b_id'],
    indexes: { broker_name: { on: ['b_name'], unique: true } },
  }),
  cash_transaction: table({
    columns: ['ct_t_id integer, ct_dts integer, ct_amt integer, ct_name text'],
    primaryKey: ['ct_t_id'],
  }),
  charge: table({
    columns: ['ch_tt_id text, ch_c_tier integer, ch_chrg integer'],
    primaryKey: ['ch_tt_id', 'ch_c_tier'],
  }),
  // The rate is in hundredths of a percent.
  commission_rate: table({
    columns: [
      'cr_c_tier integer, cr_tt_id text, cr_ex_id text, cr_from_qty integer',
      'cr_to_qty integer, cr_rate integer',
    ],
    primaryKey: ['cr_c_tier', 'cr_tt_id', 'cr_ex_id', 'cr_from_qty'],
  }),
  settlement: table({
    columns: ['se_t_id integer, se_cash_type text, se_cash_due_date integer, se_amt integer'],
    primaryKey: ['se_t_id'],
  }),
  trade: table({
    columns: [
      't_id integer, t_dts integer, t_st_id text, t_tt_id text, t_is_cash integer',
      't_s_symb text, t_qty integer, t_bid_price integer, t_ca_id integer, t_exec_name text',
      't_trade_price integer?, t_chrg integer, t_comm integer, t_tax integer',
      't_lifo integer',
    ],
    primaryKey: ['t_id'],
    indexes: {
      trade_account: { on: ['t_ca_id', 't_dts'] },
      trade_security: { on: ['t_s_symb', 't_dts'] },
    },
  }),
  trade_history: table({
    columns: ['th_t_id integer, th_st_id text, th_dts integer'],
    primaryKey: ['th_t_id', 'th_st_id'],
  }),
  trade_request: table({
    columns: [
      'tr_t_id integer, tr_tt_id text, tr_s_symb text, tr_qty integer, tr_bid_price integer',
      'tr_b_id integer',
    ],
    primaryKey: ['tr_t_id'],
    indexes: {
      trade_request_security: { on: ['tr_s_symb', 'tr_tt_id', 'tr_bid_price'] },
      trade_request_broker: { on: ['tr_b_id'] },
    },
  }),
  trade_type: table({
    columns: ['tt_id text, tt_name text, tt_is_sell integer, tt_is_mrkt integer'],
    primaryKey: ['tt_id'],
  }),
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
