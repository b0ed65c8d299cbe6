import { describe, expect, it } from 'vitest';
import { variablesAsHelp, variablesAsMarkdown } from './describe-variables.ts';
import { variables } from './variables.ts';

describe('the printed table', () => {
  it('names every variable in the help, within the width', () => {
    const lines = variablesAsHelp(72).split('\n');
    const names = lines.flatMap((line) => /^ {2}(\w+) \(/.exec(line)?.[1] ?? []);
    expect(names).toEqual(Object.keys(variables));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(72);
    expect(lines).toContain('  MSK_PORT (port, default 8080)');
    expect(lines).toContain('  MSK_JWT_KEY (key, secret)');
  });

  it('has one row of four cells for every variable in the documentation', () => {
    const [, , ...rows] = variablesAsMarkdown().trimEnd().split('\n');
    expect(rows.map((row) => /`(\w+)`/.exec(row)?.[1])).toEqual(Object.keys(variables));
    for (const row of rows) expect(row.split(' | ')).toHaveLength(4);
  });
});
