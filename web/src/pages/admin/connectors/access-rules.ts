import type { WebdavSource } from '@trellis/contract/shapes/connector.ts';

type AccessRule = WebdavSource['rules'][number];

const LINE = /^(\/.*?)\s*:\s+((?:team|user)\s.+)$/;
const NAME = /^(team|user)\s+(.+)$/;

/** Rules of who may see which folder as people write them: `/staff: team North, user ann`. */
export function rulesText(rules: readonly AccessRule[]): string {
  return rules
    .map(({ path, teams, users }) => {
      const names = [
        ...teams.map((name) => `team ${name}`),
        ...users.map((name) => `user ${name}`),
      ];
      return `${path}: ${names.join(', ')}`;
    })
    .join('\n');
}

/** Throws an error with what is wrong for a line that is no rule. */
export function rulesIn(text: string): AccessRule[] {
  return linesOf(text).map(ruleIn);
}

/** What is wrong with the rules; undefined for nothing. */
export function faultOfRules(text: string): string | undefined {
  if (linesOf(text).length === 0) return 'Enter a rule.';
  try {
    rulesIn(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function ruleIn(line: string): AccessRule {
  const [, path, names] = LINE.exec(line) ?? [];
  if (path === undefined || names === undefined) throw unreadable(line);
  const rule = { path, teams: [] as string[], users: [] as string[] };
  for (const one of names.split(',')) {
    const [, kind, name] = NAME.exec(one.trim()) ?? [];
    if (name === undefined) throw unreadable(line);
    (kind === 'team' ? rule.teams : rule.users).push(name);
  }
  return rule;
}

function unreadable(line: string): Error {
  return new Error(`“${line}” is no rule: write it as “/staff: team North, user ann”.`);
}
