//! Arrays become variables, lines, homes, classes and channels.

use super::globals::{Array, Bounds, Field, Globals, Private, Values, check_range, twice};
use super::report::Report;
use super::{MOST_VARIABLES, ranges};
use crate::syntax::{self, Content, Expr, Item, Name, Shared, Tree};
use crate::system::{Channel, ClassId, Home, HomeId, Line, LineId, ProcessId, System, Variable};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// All tuples of indices, the last one runs fastest.
pub(super) fn elements(bounds: &[Bounds]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for &(lo, hi) in bounds {
        all = all
            .into_iter()
            .flat_map(|prefix| (lo..=hi).map(move |index| [prefix.as_slice(), &[index]].concat()))
            .collect();
    }
    all
}

/// `[1][2]`
pub(super) fn brackets(indices: &[i64]) -> String {
    indices.iter().map(|index| format!("[{index}]")).collect()
}

/// Puts what the program declares into tables.
pub(super) struct Layout<'a, 't> {
    pub globals: &'a mut Globals<'t>,
    pub system: &'a mut System,
    pub report: &'a mut Report,
    /// Lines that several declarations share: name, indices, home.
    lines: FxHashMap<(String, Vec<i64>, HomeId), LineId>,
    /// Variables and channels so far.
    count: usize,
}

/// What a declaration says of each of its elements.
struct Element {
    indices: Vec<i64>,
    home: HomeId,
}

impl<'a, 't> Layout<'a, 't> {
    pub fn new(globals: &'a mut Globals<'t>, system: &'a mut System, report: &'a mut Report) -> Self {
        Layout { globals, system, report, lines: FxHashMap::default(), count: 0 }
    }

    pub fn lay_out(&mut self, tree: &Tree) {
        for item in &tree.items {
            match item {
                Item::Shared(shared) => {
                    let array = self.shared(shared);
                    self.globals.shared.push(array);
                }
                Item::Channel(channel) => {
                    let array = self.channel(channel);
                    self.globals.channels.push(array);
                }
                Item::Private(private) => {
                    let private = self.private(private);
                    self.globals.privates.push(private);
                }
                _ => {}
            }
        }
    }

    /// Whether some more elements are too many, which is reported.
    fn too_many(&mut self, bounds: &[&[Bounds]], span: Span) -> bool {
        let sizes = bounds.iter().flat_map(|bounds| bounds.iter()).map(|(lo, hi)| hi - lo + 1);
        let size = sizes.fold(1_i64, i64::saturating_mul);
        self.count = self.count.saturating_add(size as usize);
        let too_many = self.count > MOST_VARIABLES;
        if too_many {
            let message = format!("there are more than {MOST_VARIABLES} variables");
            self.report.error(codes::PRIMITIVE_SIZE, message, span, "with these");
        }
        too_many
    }

    /// The type of a variable; `data` if none is given.
    fn values(&mut self, kind: Option<&syntax::Type>) -> Values {
        kind.map_or(Some(Values::DATA), |kind| self.globals.values(kind, self.report)).unwrap_or(Values::DATA)
    }

    fn named_indices<'n>(dimensions: &'n [syntax::Dimension], indices: &[i64]) -> Vec<(&'n str, i64)> {
        dimensions.iter().map(|dimension| dimension.name.text.as_str()).zip(indices.iter().copied()).collect()
    }

    /// The initial value of an element.
    fn initial(&mut self, expr: Option<&Expr>, indices: &[(&str, i64)], values: Values) -> i64 {
        let Some(expr) = expr else { return values.default() };
        let Some(value) = self.globals.constant(expr, indices, self.report) else { return values.default() };
        if !values.contains(value) {
            let at: String = indices.iter().map(|(name, value)| format!(" for {name} = {value}")).collect();
            self.report.error(
                codes::PRIMITIVE_VALUE,
                format!("the initial value {value} is outside of the range {} .. {}", values.lo, values.hi),
                expr.span,
                format!("this is {value}{at}"),
            );
        }
        value
    }

    fn shared(&mut self, shared: &Shared) -> Array {
        let name = &shared.name;
        let mut array =
            Array { name: name.text.clone(), span: name.span, bounds: Vec::new(), fields: Vec::new() };
        let bounds = self.globals.bounds(&shared.dimensions, self.report);
        if bounds.as_ref().is_none_or(|bounds| self.too_many(&[bounds], name.span)) {
            return array;
        }
        array.bounds = bounds.unwrap_or_default();
        let homes = self.homes(shared, &array.bounds);
        let indices = elements(&array.bounds).into_iter();
        let elements: Vec<Element> =
            indices.zip(homes).map(|(indices, home)| Element { indices, home }).collect();
        match &shared.content {
            Content::Variable(kind, initial) => {
                let values = self.values(kind.as_deref());
                let class = self.class(shared.class.as_ref(), name);
                let base = self.system.variables.len() as u32;
                array.fields.push(Field { name: None, bounds: Vec::new(), values, base });
                for element in &elements {
                    let named = Self::named_indices(&shared.dimensions, &element.indices);
                    let initial = self.initial(initial.as_deref(), &named, values);
                    let text = format!("{}{}", name.text, brackets(&element.indices));
                    let line = self.line_of(shared.line.as_ref(), &text, element, name.span);
                    self.variable(text, values, initial, line, class, name.span);
                }
            }
            Content::Structure(groups) => {
                if let Some(line) = &shared.line {
                    let message = "a structure says itself which line each field is on";
                    self.report.error(codes::PRIMITIVE_VALUE, message, line.span, "leave this out");
                }
                if groups.iter().all(|group| group.fields.is_empty()) {
                    let message = format!("`{}` has no fields", name.text);
                    self.report.error(codes::PRIMITIVE_VALUE, message, name.span, "");
                }
                let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
                for (number, group) in groups.iter().enumerate() {
                    self.group(shared, number, group, &elements, &mut array);
                    for field in &group.fields {
                        match seen.get(field.name.text.as_str()) {
                            Some(first) => self.report.push(twice(&field.name, *first)),
                            None => drop(seen.insert(&field.name.text, field.name.span)),
                        }
                    }
                }
            }
        }
        array
    }

    /// The fields on one line of a structure.
    fn group(
        &mut self,
        shared: &Shared,
        number: usize,
        group: &syntax::Group,
        all: &[Element],
        array: &mut Array,
    ) {
        let line_name = group.name.as_ref().map_or_else(|| number.to_string(), |name| name.text.clone());
        let first = self.system.lines.len() as u32;
        let span = group.name.as_ref().map_or(group.span, |name| name.span);
        for element in all {
            let name = format!("{}{}.{line_name}", shared.name.text, brackets(&element.indices));
            self.system.lines.push(Line { name, home: element.home, span });
        }
        for field in &group.fields {
            let bounds = self.globals.bounds(&field.dimensions, self.report);
            let values = self.values(field.kind.as_ref());
            if bounds.as_ref().is_none_or(|bounds| self.too_many(&[&array.bounds, bounds], field.name.span)) {
                continue;
            }
            let bounds = bounds.unwrap_or_default();
            let class = self.class(field.class.as_ref().or(shared.class.as_ref()), &shared.name);
            let own = elements(&bounds);
            let base = self.system.variables.len() as u32;
            for (place, element) in all.iter().enumerate() {
                for indices in &own {
                    let mut named = Self::named_indices(&field.dimensions, indices);
                    named.extend(Self::named_indices(&shared.dimensions, &element.indices));
                    let initial = self.initial(field.initial.as_ref(), &named, values);
                    let outer = brackets(&element.indices);
                    let name =
                        format!("{}{outer}.{}{}", shared.name.text, field.name.text, brackets(indices));
                    let line = LineId(first + place as u32);
                    self.variable(name, values, initial, line, class, field.name.span);
                }
            }
            array.fields.push(Field { name: Some(field.name.text.clone()), bounds, values, base });
        }
    }

    fn variable(
        &mut self,
        name: String,
        values: Values,
        initial: i64,
        line: LineId,
        class: ClassId,
        span: Span,
    ) {
        let Values { lo, hi, wraps } = values;
        self.system.variables.push(Variable { name, lo, hi, wraps, initial, line, class, span });
    }

    fn class(&mut self, given: Option<&Name>, name: &Name) -> ClassId {
        let text = &given.unwrap_or(name).text;
        let classes = &mut self.system.classes;
        let number = classes.iter().position(|class| class == text).unwrap_or_else(|| {
            classes.push(text.clone());
            classes.len() - 1
        });
        ClassId(number as u32)
    }

    /// The line of a variable that is no field.
    fn line_of(&mut self, shared: Option<&Name>, own: &str, element: &Element, span: Span) -> LineId {
        let lines = &mut self.system.lines;
        let next = LineId(lines.len() as u32);
        let (name, span) = match shared {
            None => (own.to_owned(), span),
            Some(line) => {
                let key = (line.text.clone(), element.indices.clone(), element.home);
                let number = *self.lines.entry(key).or_insert(next);
                if number != next {
                    return number;
                }
                (format!("{}{}", line.text, brackets(&element.indices)), line.span)
            }
        };
        lines.push(Line { name, home: element.home, span });
        next
    }

    /// The homes of the elements of a declaration.
    fn homes(&mut self, shared: &Shared, bounds: &[Bounds]) -> Vec<HomeId> {
        let count = self.globals.members.len();
        let all = elements(bounds);
        let process = |number: usize| Home::Process(ProcessId(number as u32));
        let homes: Vec<Home> = match &shared.home {
            Some(syntax::Home::Place(place)) => vec![Home::Place(place.clone()); all.len()],
            Some(syntax::Home::Process(expr)) => {
                let mut homes = Vec::with_capacity(all.len());
                for indices in &all {
                    let named = Self::named_indices(&shared.dimensions, indices);
                    let number = self.globals.constant(expr, &named, self.report).unwrap_or(0);
                    if !(0..count as i64).contains(&number) && count > 0 {
                        let at: String =
                            named.iter().map(|(name, value)| format!(" for {name} = {value}")).collect();
                        self.report.push(
                            Diagnostic::error(
                                codes::PRIMITIVE_VALUE,
                                format!("there is no process number {number}"),
                            )
                            .at(expr.span, format!("this is {number}{at}"))
                            .note(format!(
                                "processes have the numbers 0 to {}, as they are declared",
                                count - 1
                            )),
                        );
                    }
                    homes.push(process(number.clamp(0, count.max(1) as i64 - 1) as usize));
                }
                homes
            }
            None => match bounds.first() {
                Some(&(lo, hi)) if hi - lo + 1 == count as i64 => {
                    all.iter().map(|indices| process((indices[0] - lo) as usize)).collect()
                }
                _ => {
                    if count > 1 {
                        let name = &shared.name;
                        let first = &self.globals.members[0].name;
                        self.report.push(
                            Diagnostic::warning(
                                codes::PRIMITIVE_VALUE,
                                format!("nothing says where `{}` has its home, so it is that of `{first}`", name.text),
                            )
                            .at(name.span, "")
                            .help("add `home` and the number of a process, or a place of the topology: `home \"0.1\"`"),
                        );
                    }
                    vec![process(0); all.len()]
                }
            },
        };
        let table = &mut self.system.homes;
        let mut number = |home: Home| {
            let known = table.iter().position(|other| *other == home);
            let number = known.unwrap_or_else(|| {
                table.push(home);
                table.len() - 1
            });
            HomeId(number as u32)
        };
        homes.into_iter().map(&mut number).collect()
    }

    fn channel(&mut self, channel: &syntax::Channel) -> Array {
        let name = &channel.name;
        let values = self.values(channel.kind.as_ref());
        let base = self.system.channels.len() as u32;
        let mut array = Array {
            name: name.text.clone(),
            span: name.span,
            bounds: Vec::new(),
            fields: vec![Field { name: None, bounds: Vec::new(), values, base }],
        };
        let capacity =
            channel.capacity.as_ref().map_or(Some(1), |expr| self.globals.constant(expr, &[], self.report));
        let capacity = capacity.unwrap_or(1);
        if let Some(expr) =
            channel.capacity.as_ref().filter(|_| !(1..=ranges::MOST_MESSAGES).contains(&capacity))
        {
            let message = format!("a channel has room for 1 to {} messages", ranges::MOST_MESSAGES);
            self.report.error(codes::PRIMITIVE_VALUE, message, expr.span, format!("this is {capacity}"));
        }
        let bounds = self.globals.bounds(&channel.dimensions, self.report);
        if bounds.as_ref().is_none_or(|bounds| self.too_many(&[bounds], name.span)) {
            return array;
        }
        array.bounds = bounds.unwrap_or_default();
        for indices in elements(&array.bounds) {
            self.system.channels.push(Channel {
                name: format!("{}{}", name.text, brackets(&indices)),
                lo: values.lo,
                hi: values.hi,
                capacity: capacity as u32,
                span: name.span,
            });
        }
        array
    }

    fn private(&mut self, private: &syntax::Private) -> Private {
        let name = &private.name;
        let values = private.kind.as_ref().and_then(|kind| self.globals.values(kind, self.report));
        let mut result = Private {
            name: name.text.clone(),
            span: name.span,
            bounds: Vec::new(),
            values,
            initial: Vec::new(),
        };
        let bounds = self.globals.bounds(&private.dimensions, self.report);
        if bounds.as_ref().is_none_or(|bounds| self.too_many(&[bounds], name.span)) {
            return result;
        }
        result.bounds = bounds.unwrap_or_default();
        for indices in elements(&result.bounds) {
            let named = Self::named_indices(&private.dimensions, &indices);
            let value = match (&private.initial, values) {
                (Some(_), Some(values)) => Some(self.initial(private.initial.as_ref(), &named, values)),
                (Some(expr), None) => {
                    let value = self.globals.constant(expr, &named, self.report);
                    value.filter(|&value| check_range(value, value, expr.span, self.report).is_some())
                }
                (None, _) => None,
            };
            result.initial.push(value);
        }
        result
    }
}
