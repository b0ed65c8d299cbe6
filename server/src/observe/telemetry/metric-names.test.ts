import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metrics, type MetricRow } from './metric-catalogue.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const rows = Object.entries<MetricRow>(metrics);

/**
 * As a receiver for Prometheus writes it: dots become underscores, and the unit and the kind stand
 * at the end.
 */
function prometheusNames(name: string, { kind, unit }: MetricRow): string[] {
  const suffix = { s: '_seconds', By: '_bytes', '1': '_ratio' }[unit] ?? '';
  const base = `${name.replaceAll('.', '_')}${suffix}`;
  if (kind === 'histogram') return ['_bucket', '_count', '_sum'].map((part) => base + part);
  return [kind === 'counter' ? `${base}_total` : base];
}

interface Dashboard {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

describe('the dashboard docker/grafana/trellis.json', () => {
  const text = readFileSync(join(ROOT, 'docker/grafana/trellis.json'), 'utf8');
  const dashboard: Dashboard = JSON.parse(text);
  const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
  const shown = targets.flatMap(({ expr }) => [
    ...(expr.match(/\b(?:http|trellis|nodejs|process|v8js)_[a-z0-9_]+(?=\{)/g) ?? []),
  ]);

  it('asks for metrics of the catalogue and for no other', () => {
    const known = rows.flatMap(([name, row]) => prometheusNames(name, row));
    expect(shown.length).toBeGreaterThanOrEqual(targets.length);
    expect(known).toEqual(expect.arrayContaining(shown));
    expect(dashboard.templating.list.map(({ query }) => query).join('\n')).toContain(
      'label_values(trellis_sequence,',
    );
  });

  it('shows every metric of the catalogue', () => {
    const missing = rows.filter(
      ([name, row]) => !prometheusNames(name, row).some((one) => shown.includes(one)),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('groups by attributes that there are', () => {
    const known = rows.flatMap(([, { attributes }]) => attributes.map(label));
    const resource = ['service_name', 'service_instance_id', 'le'];
    for (const { expr, legendFormat } of targets) {
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, by = '']) =>
        by.split(', '),
      );
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
      expect([...known, ...resource]).toEqual(expect.arrayContaining([...grouped, ...named]));
    }
  });
});

function label(attribute: string): string {
  return attribute.replaceAll('.', '_');
}

it('docs/observability.md has a row for each metric, as the catalogue has it', () => {
  const text = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8');
  const documented = [...text.matchAll(/^\| `([\w.]+)` \| ([\w-]+) \| `([^`]+)` \|/gm)];
  expect(documented.map(([, name, kind, unit]) => [name, kind, unit])).toEqual(
    rows.map(([name, { kind, unit }]) => [name, kind, unit]),
  );
});
