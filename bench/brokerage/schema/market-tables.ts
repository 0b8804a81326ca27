// SPDX-License-Identifier: Apache-2.0
import { table } from './table-shape.ts'

/** The eleven tables of companies, their securities and the market. */
export const MARKET_TABLES = {
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
