// A language server that Langium makes of `modules.langium`, on pipes.
import { readFileSync } from 'node:fs';
import { AstUtils, DefaultScopeComputation } from 'langium';
import { createServicesForGrammar } from 'langium/grammar';
import { AbstractSemanticTokenProvider, startLanguageServer } from 'langium/lsp';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';

/** Names of variables are known everywhere, as those of PRISM are. */
class Names extends DefaultScopeComputation {
  addLocalSymbol(node, document, symbols) {
    const name = this.nameProvider.getName(node);
    const root = AstUtils.findRootNode(node);
    if (name && node !== root) symbols.add(root, this.descriptions.createDescription(node, name, document));
  }
}

/** The colours of names, declarations and numbers. */
class Colours extends AbstractSemanticTokenProvider {
  highlightElement(node, accept) {
    const colour = (property, type) => accept({ node, property, type });
    switch (node.$type) {
      case 'Constant':
      case 'Global':
      case 'Variable':
      case 'Formula':
        return colour('name', 'variable');
      case 'Module':
        return colour('name', 'namespace');
      case 'Label':
        return colour('name', 'enumMember');
      case 'Command':
        return colour('action', 'event');
      case 'Assignment':
        return colour('variable', 'variable');
      case 'Reference':
        return colour('to', 'variable');
      case 'Literal':
        return colour('value', 'number');
      case 'Call':
        return colour('function', 'function');
      case 'Binary':
        return colour('operator', 'operator');
    }
  }
}

const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
const services = await createServicesForGrammar({
  grammar: readFileSync(new URL('modules.langium', import.meta.url), 'utf8'),
  languageMetaData: { languageId: 'prism', fileExtensions: ['.prism'], caseInsensitive: false, mode: 'production' },
  module: {
    references: { ScopeComputation: (services) => new Names(services) },
    lsp: { SemanticTokenProvider: (services) => new Colours(services) },
  },
  sharedModule: { lsp: { Connection: () => connection } },
});
startLanguageServer(services.shared);
