import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PASSWORD_CHARACTERS_MAX } from '../contract/src/limits.ts';
import { BACKUPS_KEPT_MAX } from '../server/src/base/backup-limits.ts';
import { SEARCH_BUILD_THREADS_MAX } from '../server/src/base/search-limits.ts';
import { KEY_BYTES_MIN } from '../server/src/base/sign-in-limits.ts';
import { LOG_THRESHOLDS, type VariableType } from '../server/src/config/parsers.ts';
import { VARIABLE_GROUPS, variables, type Variable } from '../server/src/config/variables.ts';

/**
 * Writes docs/configuration.md from the table of variables: `npm run configuration-page`. Run it
 * after a variable has come or changed; a test compares the two.
 */
export const PAGE_FILE = 'docs/configuration.md';

/** How the value of each type is written. */
const TYPES: Readonly<Record<VariableType, string>> = {
  'backup-target': 'a folder, or `s3://bucket/prefix`',
  boolean: '`true` or `1`, `false` or `0`',
  count: `a whole number from 0 to ${BACKUPS_KEPT_MAX}`,
  folder: 'a path, absolute or relative to the folder in which the server was started',
  folders: 'absolute paths, such as `/srv/files;/mnt/tables`',
  host: 'an IP address or a host name, such as `127.0.0.1`, without scheme and port',
  key: `text of at least ${KEY_BYTES_MIN} bytes`,
  'log-level': `one of ${LOG_THRESHOLDS.map((level) => `\`${level}\``).join(', ')}`,
  'master-key': `text of at least ${KEY_BYTES_MIN} bytes`,
  mebibytes: 'a whole number from 1, in MiB (1,048,576 bytes), such as `2048`',
  'member-name': 'letters, digits, and `.`, `:`, `-`, `_`',
  networks: 'IP addresses and networks, such as `10.0.0.7;10.1.0.0/16`',
  origins: 'scheme, host and port, such as `https://app.example.com;https://b.example.com`',
  password: `text of at most ${PASSWORD_CHARACTERS_MAX} characters`,
  percent: 'percentage',
  port: 'a whole number from 0 to 65535',
  'postgres-url': '`postgres://user:password@host/database`',
  'preview-mode': '`closed` or `open`',
  'smtp-url': '`smtp://user:password@host:port`, or `smtps://`',
  text: 'any text',
  threads: `a whole number from 1 to ${SEARCH_BUILD_THREADS_MAX}`,
  url: 'an http or https URL without user, query and fragment, such as `https://graph.example.com`',
  'workspace-name': 'lower-case letters, digits, `-` and `_`, a letter first',
};

export function configurationPage(): string {
  return `# Configuration

A server reads its settings when it starts: from environment variables, from a file, and from options of the command. Set those you need:

\`\`\`sh not-run: the server goes on until it is stopped
MSK_PORT=9000 MSK_GRAPH_STORAGE=/var/lib/trellis trellis serve
trellis serve --port 9000 --data /var/lib/trellis    # the same
trellis serve --config /etc/trellis.env              # the same, if the file has the lines below
\`\`\`

\`\`\`ini
# /etc/trellis.env
MSK_PORT=9000
MSK_GRAPH_STORAGE=/var/lib/trellis
\`\`\`

An option goes before a variable, and a variable before the file. \`trellis serve --help\` lists all variables.

A wrong value keeps the server from starting. It reports every fault at once and ends with exit code 78:

\`\`\`text
2 settings are wrong:
  MSK_PORT (--port) is "web", which is no port. Set a number from 0 to 65535.
  MSK_USE_HSTS (/etc/trellis.env:3) is "maybe", neither true nor false. Set it to true or false.
\`\`\`

- A variable that is set to nothing counts as not set.
- A variable that begins with \`MSK_\` and is not on this page gets a warning with the nearest name.
- The standard variables \`OTEL_*\` send [traces and metrics](observability.md#traces-and-metrics) elsewhere.
- Secrets are never logged. They have no option, because other users of the machine can see the arguments of a command.
- \`trellis doctor\` checks the variables of its shell, and with \`--config\` a file, without starting a server.

The file has one \`NAME=value\` on each line, and comments on lines of their own, which begin with \`#\`.

- A value goes to the end of its line. Quotes around the whole value are removed.
- systemd (\`EnvironmentFile\`) and Docker (\`--env-file\`) read the same file, but Docker keeps the quotes.
- A name that is not on this page, a line that is no setting, and a name that comes twice keep the server from starting.
- If the file has secrets, let only the user of the server read it.

${Object.entries(VARIABLE_GROUPS).map(groupText).join('\n')}
## Types

| type | value |
|---|---|
${Object.entries(TYPES)
  .map(([type, value]) => `| ${type} | ${value} |`)
  .join('\n')}
`;
}

function groupText([group, title]: [string, string]): string {
  const rows = Object.entries<Variable>(variables).filter(([, row]) => row.group === group);
  return `## ${title}\n\n${rows.map(variableText).join('\n')}`;
}

function variableText([name, { type, default: fallback, description, secret }]: [
  string,
  Variable,
]) {
  const facts = [
    type,
    ...(fallback === null || fallback === '' ? [] : [`default \`${fallback}\``]),
    ...(secret === true ? ['secret'] : []),
  ];
  const meaning = description.replaceAll(/\b(?:MSK|TRELLIS)_\w+/g, '`$&`');
  return `### ${name}\n\n*${facts.join(', ')}*\n\n${meaning}\n`;
}

if (import.meta.main) {
  writeFileSync(join(resolve(import.meta.dirname, '..'), PAGE_FILE), configurationPage());
}
