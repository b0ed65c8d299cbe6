import { variables, type Variable } from './variables.ts';

/** The table for `--help`: plain text, at most `columns` wide. */
export function variablesAsHelp(columns = 100): string {
  const indent = '    ';
  return Object.entries<Variable>(variables)
    .map(([name, row]) => {
      const lines = wrap(row.description, columns - indent.length);
      return [`  ${name} (${annotation(row)})`, ...lines.map((line) => indent + line)].join('\n');
    })
    .join('\n');
}

/** The table for the documentation. */
export function variablesAsMarkdown(): string {
  const rows = Object.entries<Variable>(variables).map(([name, row]) => {
    const fallback = row.default === null || row.default === '' ? 'none' : `\`${row.default}\``;
    const secret = row.secret === true ? ' Secret.' : '';
    return `| \`${name}\` | ${row.type} | ${fallback} | ${row.description}${secret} |`;
  });
  return ['| Variable | Type | Default | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function annotation(row: Variable): string {
  const parts: string[] = [row.type];
  if (row.default !== null && row.default !== '') parts.push(`default ${row.default}`);
  if (row.secret === true) parts.push('secret');
  return parts.join(', ');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
