/** What is said of a name: a declaration, with a part of it marked, and a text. */
export function toldElement(
  declaration: string | undefined,
  documentation: string | undefined,
  marked?: string,
): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-told';
  if (declaration !== undefined) element.append(declarationElement(declaration, marked));
  if (documentation !== undefined && documentation !== '') {
    const text = document.createElement('p');
    text.textContent = documentation;
    element.append(text);
  }
  return element;
}

function declarationElement(declaration: string, marked: string | undefined): HTMLElement {
  const code = document.createElement('code');
  const at = marked === undefined ? -1 : declaration.indexOf(marked);
  if (marked === undefined || at < 0) {
    code.textContent = declaration;
    return code;
  }
  const mark = document.createElement('mark');
  mark.textContent = marked;
  code.append(declaration.slice(0, at), mark, declaration.slice(at + marked.length));
  return code;
}
